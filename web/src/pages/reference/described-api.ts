import type { ApiDocument } from '@trellis/contract/shapes/workspace.ts';

/** A JSON Schema. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

/** A body in one format. */
export interface Content {
  readonly type: string;
  readonly schema: Schema;
  /** As it was sent or answered once. */
  readonly example: unknown;
  /** Of a stream of events, those that it may have; the data of some are text. */
  readonly events: readonly {
    readonly name: string;
    readonly description: string;
    readonly schema: Schema | undefined;
  }[];
}

export interface ApiAnswer {
  readonly status: string;
  readonly description: string;
  readonly headers: readonly string[];
  readonly contents: readonly Content[];
}

/** One operation, with what it refers to but the shapes. */
export interface ApiOperation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Content[];
  readonly bodyBytesMax: number | undefined;
  readonly answers: readonly ApiAnswer[];
  /** Who may call: kinds of tokens, and what is asked of each. */
  readonly callers: readonly string[];
  /** The name of the custom endpoint that it runs. */
  readonly endpoint: string | undefined;
}

export interface DescribedApi {
  readonly groups: readonly {
    readonly name: string;
    /** The name as people read it. */
    readonly title: string;
    readonly description: string;
    readonly operations: readonly ApiOperation[];
  }[];
  readonly shapes: Readonly<Record<string, Schema>>;
}

const KINDS: Readonly<Record<string, string>> = {
  session: 'a session',
  apiToken: 'an API token',
  connectorToken: 'a connector token',
  automationToken: 'an automation token',
  endpointToken: 'an endpoint token',
  llmOpenAiToken: 'a token for OpenAI clients',
  llmAnthropicToken: 'a token for Anthropic clients',
  llmAnthropicKey: 'the same in the header x-api-key',
  interfaceToken: 'an interface token',
  mcpToken: 'an MCP token',
};

/** The document as the page shows it. */
export function describedApi(document: ApiDocument): DescribedApi {
  const resolve = (value: unknown): Schema => {
    const reference = objectOf(value)['$ref'];
    if (typeof reference !== 'string') return objectOf(value);
    const steps = reference.slice(2).split('/');
    return objectOf(steps.reduce<unknown>((at, step) => objectOf(at)[step], document));
  };
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(objectOf(item)).map(([method, one]) =>
      operationOf(path, method.toUpperCase(), objectOf(one), resolve),
    ),
  );
  const tags = arrayOf(document['tags']).map(objectOf);
  const groups = tags.map((tag) => ({
    name: String(tag['name']),
    title: titleOf(String(tag['name'])),
    description: String(tag['description'] ?? ''),
    operations: operations.filter((one) => one.tag === tag['name']),
  }));
  return {
    groups: groups.filter((group) => group.operations.length > 0),
    shapes: objectOf(document.components['schemas']) as Record<string, Schema>,
  };
}

const ABBREVIATIONS = ['llm', 'sso'];

/** "code-history" is "Code history", and "sso" is "SSO". */
function titleOf(tag: string): string {
  if (ABBREVIATIONS.includes(tag)) return tag.toUpperCase();
  const words = tag.replaceAll('-', ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function operationOf(
  path: string,
  method: string,
  one: Schema,
  resolve: (value: unknown) => Schema,
): ApiOperation {
  return {
    id: String(one['operationId']),
    tag: String(arrayOf(one['tags'])[0]),
    method,
    path,
    summary: String(one['summary']),
    description: String(one['description'] ?? ''),
    parameters: arrayOf(one['parameters'])
      .map(resolve)
      .map((parameter) => ({
        name: String(parameter['name']),
        in: parameter['in'] as Parameter['in'],
        required: parameter['required'] === true,
        description: String(parameter['description'] ?? ''),
        schema: objectOf(parameter['schema']),
      })),
    body: contentsOf(objectOf(one['requestBody'])),
    bodyBytesMax: numberOf(objectOf(one['requestBody'])['x-max-bytes']),
    answers: Object.entries(objectOf(one['responses'])).map(([status, answer]) => {
      const told = resolve(answer);
      return {
        status,
        description: String(told['description']),
        headers: Object.keys(objectOf(told['headers'])),
        contents: contentsOf(told),
      };
    }),
    callers: arrayOf(one['security']).map((requirement) => callerOf(objectOf(requirement))),
    endpoint: nameOfEndpoint(one),
  };
}

function callerOf(requirement: Schema): string {
  const [[scheme = '', needed] = []] = Object.entries(requirement);
  const names = arrayOf(needed).join(', ');
  return `${KINDS[scheme] ?? scheme}${names === '' ? '' : ` (${names})`}`;
}

function nameOfEndpoint(one: Schema): string | undefined {
  const { name } = objectOf(one['x-trellis-endpoint']);
  return typeof name === 'string' ? name : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function contentsOf(value: Schema): Content[] {
  const contents = Object.entries(objectOf(value['content']));
  return contents.map(([type, content]) => {
    const { schema, example, 'x-events': events } = objectOf(content);
    return { type, schema: objectOf(schema), example, events: eventsOf(objectOf(events)) };
  });
}

function eventsOf(events: Schema): Content['events'] {
  return Object.entries(events).map(([name, event]) => {
    const { description, schema } = objectOf(event);
    const isTold = schema !== undefined;
    return {
      name,
      description: String(description),
      schema: isTold ? objectOf(schema) : undefined,
    };
  });
}

export function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Schema)
    : {};
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
