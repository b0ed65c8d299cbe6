import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operations } from './operations.ts';
import { webSocketRequestHead, webSocketRequests, webSocketSignIn } from './web-socket.ts';

/**
 * Parts of requests that may be any JSON, so that no shape can bound them: only the limits of the
 * whole body do (bytes, values, depth), or of the request's head. Whoever adds one says why.
 */
const ANY_JSON: Readonly<Record<string, string>> = {
  'updateUser body.preferences': 'bounded by the characters of its JSON',
  'createScimUser body': 'attributes that are kept are judged by the service',
  'replaceScimUser body': 'attributes that are kept are judged by the service',
  'patchScimUser body': 'operations are judged by the service',
  'createScimGroup body': 'attributes that are kept are judged by the service',
  'replaceScimGroup body': 'attributes that are kept are judged by the service',
  'patchScimGroup body': 'operations are judged by the service',
  'ingest body.operations[]': 'each is judged by the writer',
  'mergeNodes body.fields': 'each is held to the type of its field by the writer',
  'createNode body.fields': 'each is held to the type of its field by the writer',
  'createNode body.links[].fields': 'each is held to the type of its field by the writer',
  'updateNode body.fields': 'each is held to the type of its field by the writer',
  'changeManyNodes body.change.add.fields': 'each is held to the type of its field by the writer',
  'changeNodeLinks body.add[].fields': 'each is held to the type of its field by the writer',
  'downloadSyntheticCsv body.nodes[]': 'nodes with whatever fields',
  'downloadSyntheticJsonl body.nodes[]': 'nodes with whatever fields',
  'runEndpoint body': 'judged by the endpoint',
  'runEndpointAlias body': 'judged by the endpoint',
  'runEndpointWithToken body': 'judged by the endpoint',
  'watchEndpoint body': 'judged by the endpoint',
  'watchEndpointWithToken body': 'judged by the endpoint',
  'compareCode body.body': 'judged by the endpoint',
  'createTask body.body': 'judged by the endpoint',
  'putTask body.body': 'judged by the endpoint',
  'runDraft body.body': 'judged by the endpoint',
  'startExtraction body.documents.where': 'compared with values of nodes',
  'changeProposal body.fields': 'each is held to the type of its field',
  'putGoldenSet body.request': 'judged as a request of a search',
  'callMcp body': 'judged by the protocol',
  'createAgent body.outputSchema': 'judged as a JSON Schema',
  'putAgent body.outputSchema': 'judged as a JSON Schema',
  'createChatCompletion body': 'more of it is for the provider',
  'createChatCompletion body.messages[]': 'more of it is for the provider',
  'createResponse body': 'more of it is for the provider',
  'createResponse body.input[]': 'more of it is for the provider',
  'countMessageTokens body': 'more of it is for the provider',
  'countMessageTokens body.messages[]': 'more of it is for the provider',
  'createEmbeddings body': 'more of it is for the provider',
  'createEmbeddings body.input[]': 'more of it is for the provider',
  'createMessage body': 'more of it is for the provider',
  'createMessage body.messages[]': 'more of it is for the provider',
  'completeLogin query': 'what the provider has to say, in the head of the request',
  'message head': 'the rest is the body of the request',
};

interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Where a shape has no bound, and where it may be any JSON. */
class Bounds {
  readonly unbounded: string[] = [];
  readonly any: string[] = [];

  look(name: string, shape: z.ZodType): void {
    const schema: JsonSchema = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
    this.#walk(schema, name);
  }

  #walk(schema: JsonSchema, at: string): void {
    // No request has a shape that contains itself; one that has needs a depth, and a way to find it
    // here.
    if ('$ref' in schema) this.unbounded.push(`${at}: refers to another shape`);
    const alternatives = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => schemasOf(schema[key]));
    for (const one of alternatives) this.#walk(one, at);
    if ('const' in schema || 'enum' in schema || alternatives.length > 0) return;
    const { type } = schema;
    if (Array.isArray(type)) {
      for (const one of type) this.#walk({ ...schema, type: one }, at);
      return;
    }
    switch (type) {
      case 'string':
        // Bytes of an upload, which has a limit of its own.
        if (!('maxLength' in schema) && schema['format'] !== 'binary') {
          this.unbounded.push(`${at}: string`);
        }
        return;
      case 'array':
        this.#walkList(schema, at);
        return;
      case 'object':
        this.#walkObject(schema, at);
        return;
      case 'boolean':
      case 'integer':
      case 'number':
      case 'null':
        return;
      default:
        this.any.push(at);
    }
  }

  #walkList(schema: JsonSchema, at: string): void {
    if (!('maxItems' in schema) && !('prefixItems' in schema)) this.unbounded.push(`${at}: array`);
    for (const item of schemasOf(schema['prefixItems'])) this.#walk(item, at);
    const { items } = schema;
    if (isSchema(items)) this.#walk(items, `${at}[]`);
  }

  #walkObject(schema: JsonSchema, at: string): void {
    const { properties, additionalProperties: others, propertyNames: names } = schema;
    for (const [name, one] of Object.entries(properties ?? {})) this.#walk(one, `${at}.${name}`);
    if (!isSchema(others)) return;
    if (Object.keys(others).length === 0) {
      this.any.push(at);
      return;
    }
    if (!('maxProperties' in schema)) this.unbounded.push(`${at}: record`);
    this.#walk(others, `${at}.*`);
    if (isSchema(names)) this.#walk(names, `${at}, its names`);
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function schemasOf(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

function boundsOfAll(): Bounds {
  const bounds = new Bounds();
  for (const operation of operations) {
    for (const part of ['params', 'query', 'headers', 'body'] as const) {
      const shape = operation[part];
      if (shape !== undefined) bounds.look(`${operation.id} ${part}`, shape);
    }
  }
  for (const [type, { body }] of Object.entries(webSocketRequests)) bounds.look(type, body);
  bounds.look('message head', webSocketRequestHead);
  bounds.look('message of the sign-in', webSocketSignIn);
  return bounds;
}

describe('the shapes of all requests', () => {
  it('have a limit for every text, list and record', () => {
    expect(boundsOfAll().unbounded).toEqual([]);
  });

  it('are any JSON only where that is meant', () => {
    expect([...new Set(boundsOfAll().any)].toSorted()).toEqual(Object.keys(ANY_JSON).toSorted());
  });

  it.each([
    ['a text', z.strictObject({ a: z.string() }), ['x.a: string']],
    ['a pattern', z.string().regex(/^a+$/), ['x: string']],
    ['a moment', z.iso.datetime().optional(), ['x: string']],
    ['a list', z.array(z.boolean()), ['x: array']],
    ['what is in a list', z.array(z.string()).max(2), ['x[]: string']],
    ['a record', z.record(z.string().max(3), z.boolean()), ['x: record']],
    ['a name in a record', z.record(z.string(), z.int()), ['x: record', 'x, its names: string']],
    ['one of several', z.union([z.int(), z.string()]), ['x: string']],
    ['what is transformed', z.string().transform(Number), ['x: string']],
  ])('would be found without one: %s', (_, shape, found) => {
    const bounds = new Bounds();
    bounds.look('x', shape);
    expect(bounds.unbounded).toEqual(found);
  });
});
