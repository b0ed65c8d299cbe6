import { OPERATION_TABLE } from '@trellis/client/operation-table.ts';
import {
  arrayOf,
  objectOf,
  type ApiOperation,
  type Content,
  type Schema,
} from './described-api.ts';

/** A call for a POSIX shell, with the token in `TRELLIS_TOKEN`. */
export function curlSample(
  { method, path, body, callers }: ApiOperation,
  baseUrl: URL,
  shapes: Readonly<Record<string, Schema>>,
): string {
  const [content] = body;
  const url = baseUrl.href.replace(/\/$/, '') + path;
  const parts = [
    `curl -s -X ${method} ${quoted(url)}`,
    ...(callers.length === 0 ? [] : ['-H "Authorization: Bearer $TRELLIS_TOKEN"']),
    ...(content === undefined ? [] : bodyParts(content.type, sampleOf(content, shapes))),
  ];
  return parts.join(' \\\n  ');
}

function bodyParts(type: string, example: unknown): string[] {
  if (type === 'multipart/form-data') return ['-F file=@FILE'];
  const header = `-H 'Content-Type: ${type}'`;
  if (type === 'application/zip') return [header, '--data-binary @FILE'];
  if (type !== 'application/json') {
    const fields = Object.entries(objectOf(example));
    return [
      header,
      ...fields.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${String(value)}`)}`),
    ];
  }
  return [header, `-d ${quoted(JSON.stringify(example))}`];
}

/**
 * The same with the SDK: a custom endpoint is run by its name, everything else is a method of its
 * own.
 */
export function sdkSample(
  { method, path, endpoint, body }: ApiOperation,
  baseUrl: URL,
  shapes: Readonly<Record<string, Schema>>,
): string {
  const head = [
    "import { TrellisClient } from '@trellis/client/trellis-client.ts';",
    '',
    `const client = new TrellisClient({ baseUrl: '${baseUrl.href}', token });`,
  ];
  if (endpoint === undefined) {
    const name = SDK_METHODS.get(`${method} ${path}`);
    if (name === undefined) return '// The SDK has no method for it: it is for other clients.';
    return [...head, `// The method is client.${name}: its types say what it takes.`].join('\n');
  }
  const example = body[0] === undefined ? {} : sampleOf(body[0], shapes);
  return [
    ...head,
    `const answer = await client.endpoints.run('${endpoint}', ${JSON.stringify(example)});`,
  ].join('\n');
}

/** The names of methods by what they call, such as `GET /api/node/{uid}`. */
const SDK_METHODS = new Map(
  Object.entries(OPERATION_TABLE).flatMap(([namespace, methods]) =>
    Object.entries(methods).map(([name, entry]) => {
      const [method, path = ''] = entry.split(' ');
      return [`${method} ${path.replace('{+', '{')}`, `${namespace}.${name}`];
    }),
  ),
);

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A body as one was sent, or else the least that it must have. */
function sampleOf({ example, schema }: Content, shapes: Readonly<Record<string, Schema>>): unknown {
  return example ?? exampleOf(schema, shapes);
}

const DEPTH_MAX = 6;

/** A value that has what it must have, and nothing more. */
export function exampleOf(
  schema: Schema,
  shapes: Readonly<Record<string, Schema>>,
  depth = 0,
): unknown {
  const { $ref, type, default: fallback } = schema;
  if (depth > DEPTH_MAX) return null;
  if (typeof $ref === 'string') {
    return exampleOf(shapes[$ref.split('/').at(-1) ?? ''] ?? {}, shapes, depth + 1);
  }
  if (fallback !== undefined) return fallback;
  if ('const' in schema) return schema['const'];
  const [option] = arrayOf(schema['enum']);
  if (option !== undefined) return option;
  const [branch] = [...arrayOf(schema['anyOf']), ...arrayOf(schema['oneOf'])];
  if (branch !== undefined) return exampleOf(objectOf(branch), shapes, depth + 1);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return schema['format'] === 'date-time' ? '2026-01-31T12:00:00Z' : 'text';
    case 'integer':
    case 'number':
      return Math.max(Number(schema['minimum'] ?? 0), 0);
    case 'boolean':
      return false;
    case 'array':
      return Number(schema['minItems'] ?? 0) > 0
        ? [exampleOf(objectOf(schema['items']), shapes, depth + 1)]
        : [];
    case 'null':
      return null;
    default: {
      const required = arrayOf(schema['required']).map(String);
      const properties = objectOf(schema['properties']);
      return Object.fromEntries(
        required.map((name) => [name, exampleOf(objectOf(properties[name]), shapes, depth + 1)]),
      );
    }
  }
}
