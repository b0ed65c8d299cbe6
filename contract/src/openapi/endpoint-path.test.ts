import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from './document.ts';
import { endpointPath, type CalledWith } from './endpoint-path.ts';
import type { JsonSchema } from './shape-schemas.ts';

const document = openApiDocument('1');

function made(name: string, input: JsonSchema = {}, more: object = {}, by: CalledWith = 'session') {
  const endpoint = { name, description: '', isReadOnly: true, mode: 'sync' as const, input };
  const { path, item, schemas } = endpointPath(document, { ...endpoint, ...more }, by);
  const { post } = item as { post: Record<string, unknown> };
  const { responses, security } = post as Record<string, object>;
  const body = Object(post['requestBody']);
  const schema: unknown = body.content['application/json'].schema;
  return { path, post, schemas, responses, security, required: body.required, schema };
}

describe('the path of an endpoint', () => {
  it('is that which takes the token', () => {
    expect(made('a/b')).toMatchObject({
      path: '/api/endpoints/run/a/b',
      post: { operationId: 'run.a/b', tags: ['custom endpoints'] },
      security: expect.arrayContaining([{ session: [] }, { apiToken: ['endpoints:run'] }]),
    });
    expect(made('a/b', {}, {}, 'endpoint-token')).toMatchObject({
      path: '/api/endpoints/token/run/a/b',
      security: [{ endpointToken: [] }],
    });
  });

  it('has no parameter for a name that it has already', () => {
    const names = (made('a').post['parameters'] as JsonSchema[]).map(({ name }) => name);
    expect(names).toContain('msk-endpoint-key');
    expect(names).not.toContain('name');
  });

  it('answers 202 when it may be asked again, and leads away from replicas when it writes', () => {
    expect(made('a').responses).not.toHaveProperty('202');
    expect(made('a', {}, { mode: 'pooling' }).responses).toHaveProperty('202');
    expect(made('a').responses).not.toHaveProperty('303');
    expect(made('a', {}, { isReadOnly: false }).responses).toHaveProperty('303');
    expect(made('a').responses).toHaveProperty('default');
  });

  it('has the description that the endpoint has', () => {
    expect(made('a', {}, { description: 'Counts.' }).post).toMatchObject({
      description: 'Counts.',
    });
    expect(made('a').post).not.toHaveProperty('description');
  });
});

describe('the shape of a body', () => {
  it('has anything where it has any JSON, rather than what refers to itself', () => {
    const { $schema: _, ...input } = z.toJSONSchema(z.object({ value: z.json().optional() }));
    expect(made('a', input)).toMatchObject({
      schema: { properties: { value: {} } },
      schemas: {},
    });
    expect(JSON.stringify(made('a', input))).not.toContain('part0');
  });

  it('is what the code says, or anything', () => {
    const input = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
    expect(made('a', input)).toMatchObject({ schema: input, required: true, schemas: {} });
    expect(made('a')).toMatchObject({ schema: {}, required: false });
  });

  it('may contain itself', () => {
    const tree = z.object({
      get children() {
        return z.array(tree);
      },
    });
    const { $schema: _dialect, ...input } = z.toJSONSchema(tree);
    const { schema, schemas } = made('a/b.c', input);
    const reference = { $ref: '#/components/schemas/input.a.b._c' };
    expect(schema).toEqual(reference);
    expect(schemas).toMatchObject({
      'input.a.b._c': { properties: { children: { items: reference } } },
    });
  });

  it('may have parts with names, which two endpoints never share', () => {
    const input = { $ref: '#/$defs/Part', $defs: { Part: { type: 'string' } } };
    const names = ['a/b', 'a.b', 'a._b', 'a.b/c', 'a/b.c'].map((name) => {
      const { schema, schemas } = made(name, input);
      const [part = ''] = Object.keys(schemas);
      expect(schema).toEqual({ $ref: `#/components/schemas/${part}` });
      expect(part).toMatch(/^[\w.-]+$/);
      return part;
    });
    expect(new Set(names).size).toBe(names.length);
  });

  it('leads nowhere outside of itself', () => {
    const input = {
      $id: 'https://example.com/a',
      properties: {
        a: { $ref: 'https://example.com/b', description: 'b' },
        c: { $ref: '#/nowhere' },
      },
    };
    expect(made('a', input).schema).toEqual({ properties: { a: { description: 'b' }, c: {} } });
  });
});
