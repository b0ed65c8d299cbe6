import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Operation, ResponseShape } from '../contract/src/operation.ts';
import { operations } from '../contract/src/operations.ts';

/**
 * Writes the table of the SDK from the contract's rows, for example
 * `list: 'GET /api/users query json replicas'`. The contract itself brings its schemas along, which
 * are too much for a browser. Run it after an operation has come or changed:
 * `npm run operation-table`.
 */
export const TABLE_FILE = 'client/src/operation-table.ts';

/** These tell of the very server that is asked, so no replica answers in its place. */
const AREAS_OF_THE_SERVER_ITSELF: readonly Operation['area'][] = ['status', 'replicas', 'stats'];
const COLUMNS_MAX = 100;

export function operationTable(): string {
  const namespaces = new Map<string, string[]>();
  for (const operation of operations as readonly Operation[]) {
    const [namespace, method] = operation.sdk?.split('.') ?? [];
    if (namespace === undefined || method === undefined) continue;
    const lines = namespaces.get(namespace) ?? [];
    lines.push(...comment(operation.summary), `    ${method}: '${entryOf(operation)}',`);
    namespaces.set(namespace, lines);
  }
  const parts = [...namespaces].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const rows = parts.flatMap(([name, lines]) => [`  ${name}: {`, ...lines, '  },']);
  return `${[...HEAD, ...rows, '} as const;'].join('\n')}\n`;
}

const HEAD = [
  '/**',
  ' * The operations that the SDK calls: method, path, what it sends, how the answer is read, and',
  ' * whether replicas answer. Derived from the contract by tools/operation-table.ts; not to be edited.',
  ' */',
  'export const OPERATION_TABLE = {',
];

function entryOf(operation: Operation): string {
  const { method, path, body, query, onReplica, area } = operation;
  const answer = isSpecial(operation) ? 'special' : answerOf(operation);
  const isServed = onReplica === 'serve' && !AREAS_OF_THE_SERVER_ITSELF.includes(area);
  return [
    method,
    path,
    ...(body === undefined ? [] : ['body']),
    ...(query === undefined ? [] : ['query']),
    answer,
    ...(isServed ? ['replicas'] : []),
  ].join(' ');
}

/**
 * Whether more than one request with JSON is needed: the SDK has a method for it that is written by
 * hand.
 */
function isSpecial({ headers, consumes, responses }: Operation): boolean {
  const [first] = successes(responses);
  const isJson = consumes?.includes('application/json') ?? true;
  // With `If-Match` other clients say what the SDK says as `ifVersion`.
  const hasHeaders = Object.keys(headers?.shape ?? {}).some((name) => name !== 'if-match');
  return hasHeaders || !isJson || first?.contentType === 'text/event-stream';
}

function answerOf({ responses }: Operation): 'bytes' | 'json' | 'none' | 'text' {
  const [first] = successes(responses);
  if (first?.body === undefined && first?.contentType === undefined) return 'none';
  const { contentType = 'application/json' } = first;
  if (contentType === 'application/json') return 'json';
  return contentType === 'text/plain' || contentType === 'application/xml' ? 'text' : 'bytes';
}

function successes(responses: Operation['responses']): ResponseShape[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .map(([, shape]) => shape);
}

function comment(text: string): string[] {
  const whole = `    /** ${text} */`;
  if (whole.length <= COLUMNS_MAX) return [whole];
  const lines: string[] = [];
  let line = '     *';
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > COLUMNS_MAX) {
      lines.push(line);
      line = '     *';
    }
    line += ` ${word}`;
  }
  return ['    /**', ...lines, line, '     */'];
}

if (import.meta.main) {
  writeFileSync(join(resolve(import.meta.dirname, '..'), TABLE_FILE), operationTable());
}
