import { describe, expect, it } from 'vitest';
import { openApiDocument } from '@trellis/contract/openapi/document.ts';
import type { ApiDocument } from '@trellis/contract/shapes/workspace.ts';
import { curlSample, exampleOf, sdkSample } from './code-samples.ts';
import { describedApi } from './described-api.ts';
import { rulesOf, schemaText, shapesIn } from './schema-text.ts';

const api = describedApi(openApiDocument('1') as object as ApiDocument);
const operations = api.groups.flatMap((group) => group.operations);
const named = (id: string) => operations.find((one) => one.id === id)!;
const URL_OF_TESTS = new URL('https://example.com/trellis/');

describe('a schema as text', () => {
  it.each<[object, string]>([
    [{ type: 'string' }, 'string'],
    [{}, 'any'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'array', items: { type: 'integer' } }, 'integer[]'],
    [
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      '(string | null)[]',
    ],
    [{ enum: ['a', 1] }, '"a" | 1'],
    [{ $ref: '#/components/schemas/NodeObject' }, 'NodeObject'],
    [{ type: 'object', properties: {} }, '{}'],
    [
      {
        type: 'object',
        properties: { a: { type: 'string', minLength: 1, maxLength: 3 }, 'b-c': { const: true } },
        required: ['b-c'],
        additionalProperties: {},
      },
      '{\n  a?: string;  // at least 1 character, at most 3 characters\n  "b-c": true;\n  [name: string]: any;\n}',
    ],
  ])('%j', (schema, text) => {
    expect(schemaText(schema as Record<string, unknown>)).toBe(text);
  });

  it('says what each member is, in lines that fit', () => {
    const description = `The number of pages. ${'Long texts go on below. '.repeat(4)}`.trim();
    const schema = { type: 'object', properties: { pages: { type: 'integer', description } } };
    const lines = schemaText(schema).split('\n');
    expect(lines[1]).toMatch(/^ {2}\/\/ The number of pages\./);
    expect(lines.slice(1, -2).every((line) => /^ {2}\/\/ .{1,86}$/.test(line))).toBe(true);
    expect(lines.at(-2)).toBe('  pages?: integer;');
    expect(schemaText(api.shapes['NewNode']!)).toMatch(/^ {2}\/\/ .+\n {2}type: string;/m);
  });

  it('tells the events of a stream, with their data', () => {
    const contents = named('sendChatMessage').answers.flatMap((answer) => answer.contents);
    const events = contents.flatMap((content) => content.events);
    expect(events.map(({ name }) => name)).toEqual(['delta', 'tool', 'result', 'error', 'done']);
    expect(events[0]?.schema).toMatchObject({ required: ['text'] });
    expect(events.at(-1)?.schema).toBeUndefined();
  });

  it('says the rules that a value must keep to', () => {
    expect(rulesOf({ minimum: 1, maximum: 9, default: 5 })).toBe(
      'at least 1, at most 9, default 5',
    );
  });

  it('leads to the shapes that it names, and to those that they name', () => {
    const { body } = named('ingest');
    expect(shapesIn([body[0]!.schema], api.shapes)).toEqual(['GraphOperation', 'NodeReference']);
  });
});

describe('code samples', () => {
  it('are calls that a shell takes', () => {
    expect(curlSample(named('queryNodes'), URL_OF_TESTS, api.shapes)).toBe(
      [
        "curl -s -X POST 'https://example.com/trellis/api/node/query'",
        '-H "Authorization: Bearer $TRELLIS_TOKEN"',
        "-H 'Content-Type: application/json'",
        '-d \'{"type":"Book","take":10}\'',
      ].join(' \\\n  '),
    );
    expect(curlSample(named('putInterface'), URL_OF_TESTS, api.shapes)).toContain('--data-binary');
    expect(curlSample(named('getHealth'), URL_OF_TESTS, api.shapes)).not.toContain('Authorization');
  });

  it('run custom endpoints by their name', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'integer', minimum: 2 } },
      required: ['a'],
    };
    const operation = {
      ...named('runEndpoint'),
      endpoint: 'x/y',
      body: [{ type: 'application/json', schema, example: undefined, events: [] }],
    };
    expect(sdkSample(operation, URL_OF_TESTS, api.shapes)).toContain(
      `await client.endpoints.run('x/y', {"a":2});`,
    );
    expect(sdkSample(named('getNode'), URL_OF_TESTS, api.shapes)).toContain('client.nodes.get');
  });

  it('have in their bodies what must be there', () => {
    const { body } = named('createEndpoint');
    expect(exampleOf(body[0]!.schema, api.shapes)).toEqual({ name: 'text', code: 'text' });
  });
});

it('every operation stands in one group, with who may call it', () => {
  expect(operations.length).toBeGreaterThan(140);
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  expect(named('getNode').callers).toContain('an API token (read)');
  expect(named('createLogin').callers).toEqual([]);
  expect(named('getNode').parameters.map(({ name }) => name)).toContain('X-MSK-Min-Sequence');
});
