import type { CodeKind } from '@trellis/contract/shapes/build.ts';
import type { SsoProvider } from '@trellis/contract/shapes/sso.ts';
import type { Immutable } from '@trellis/contract/immutable.ts';
import type { OperationsInSdk } from '@trellis/contract/operations.ts';
import type { NodeReference } from '@trellis/contract/shapes/node-reference.ts';
import type { z } from 'zod';
import { OPERATION_TABLE } from './operation-table.ts';
import { nodeUid } from './uid.ts';
import type { Call, CallOptions, Transport } from './transport.ts';

/**
 * The methods of the SDK, made of the table of operations: `client.tasks.list({ take: 10 })` is the
 * row `tasks.list`. A method takes what the path names, one by one; then the body; then the query;
 * and last the options of a call. What the contract says of the row are the types.
 */
type Table = typeof OPERATION_TABLE;
export type Namespace = keyof Table;

/** The methods of a namespace but for those that are written by hand. */
export type OperationMethods<N extends Namespace> = {
  readonly [
    M in keyof Table[N] as Table[N][M] extends `${string} special${string}` ? never : M
  ]: Method<RowOf<N, M>, Table[N][M]>;
};

/** The bytes of a download as they arrive. */
export type Download = ReadableStream<Uint8Array<ArrayBuffer>>;

type RowOf<N extends Namespace, M> = OperationsInSdk[`${N}.${M & string}` & keyof OperationsInSdk];

type Method<Row, Entry> = (
  ...args: [
    ...PathArguments<Row extends { readonly path: infer Path } ? Path : never>,
    ...BodyArgument<Row>,
    ...QueryArgument<Row>,
    options?: CallOptions,
  ]
) => Promise<Answer<Row, Entry>>;

/** Tuples with names, which editors show. */
interface PathArgument {
  readonly destination: [destination: string];
  readonly groupUID: [team: NodeReference];
  readonly id: [id: string];
  readonly issuer: [issuer: string];
  readonly kind: [kind: CodeKind];
  readonly messageUID: [messageUID: string];
  readonly name: [name: string];
  readonly provider: [provider: SsoProvider];
  readonly providerName: [providerName: string];
  readonly run: [run: number];
  readonly type: [type: string];
  readonly uid: [node: NodeReference];
}

type PathArguments<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? [...PathArgument[NameInPath<Name> & keyof PathArgument], ...PathArguments<Rest>]
  : [];
type NameInPath<Name extends string> = Name extends `+${infer Rest}` ? Rest : Name;

type BodyArgument<Row> = Row extends { readonly body: infer Body extends z.ZodType }
  ? undefined extends z.input<Body>
    ? [body?: Immutable<z.input<Body>>]
    : [body: Immutable<z.input<Body>>]
  : [];

type QueryArgument<Row> = Row extends { readonly query: infer Query extends z.ZodObject }
  ? object extends z.input<Query>
    ? [query?: QueryOf<Query>]
    : [query: QueryOf<Query>]
  : [];

/**
 * Optional is what the server takes as left out; a value is what it reads of the text, such as a
 * number.
 */
type QueryOf<Query extends z.ZodObject> = Flat<
  {
    readonly [K in keyof z.output<Query> as K extends OptionalKeys<z.input<Query>> ? K : never]?:
      | Immutable<z.output<Query>[K]>
      | undefined;
  } & {
    readonly [
      K in keyof z.output<Query> as K extends OptionalKeys<z.input<Query>> ? never : K
    ]: Immutable<z.output<Query>[K]>;
  }
>;
type Flat<T> = { [K in keyof T]: T[K] };
type OptionalKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];

type Answer<Row, Entry> = Entry extends `${string} none${string}`
  ? void
  : Entry extends `${string} text${string}`
    ? string
    : Entry extends `${string} bytes${string}`
      ? Download
      : Row extends { readonly responses: infer Responses }
        ? BodyOf<Responses[keyof Responses & (200 | 201 | 202)]>
        : never;
type BodyOf<Shape> = Shape extends { readonly body: infer Body extends z.ZodType }
  ? Immutable<z.output<Body>>
  : never;

/** Where a call goes. */
export type CallTarget = Pick<Call, 'method' | 'path' | 'isServedByReplicas'>;

/** Where the calls of an operation go: `callTo('files', 'get', uid)`. */
export function callTo<N extends Namespace>(
  namespace: N,
  method: keyof Table[N],
  ...pathArguments: readonly string[]
): CallTarget {
  return targetOf(parseEntry(OPERATION_TABLE[namespace][method] as string), pathArguments);
}

export function operationsOf<N extends Namespace>(
  transport: Transport,
  namespace: N,
): OperationMethods<N> {
  const entries = Object.entries(OPERATION_TABLE[namespace]).map(([name, text]) => {
    const entry = parseEntry(text);
    return [name, (...args: unknown[]) => call(transport, entry, args)];
  });
  return Object.fromEntries(entries) as OperationMethods<N>;
}

interface ParsedEntry {
  readonly method: Call['method'];
  readonly path: string;
  readonly takesBody: boolean;
  readonly takesQuery: boolean;
  readonly answer: 'bytes' | 'json' | 'none' | 'text';
  readonly isServedByReplicas: boolean;
}

function parseEntry(text: string): ParsedEntry {
  const [method, path = '', ...rest] = text.split(' ');
  const has = (word: string) => rest.includes(word);
  return {
    method: method as Call['method'],
    path,
    takesBody: has('body'),
    takesQuery: has('query'),
    answer: has('none') ? 'none' : has('text') ? 'text' : has('bytes') ? 'bytes' : 'json',
    isServedByReplicas: has('replicas'),
  };
}

const PATH_ARGUMENT = /\{(\+?)\w+\}/g;

function targetOf(
  { method, path, isServedByReplicas }: ParsedEntry,
  pathArguments: readonly unknown[],
): CallTarget {
  let next = 0;
  const filled = path.replaceAll(PATH_ARGUMENT, (_, rest) => {
    const value = pathText(pathArguments[next++]);
    // Names may contain "/": each segment is escaped for itself.
    return rest === '+'
      ? value.split('/').map(encodeURIComponent).join('/')
      : encodeURIComponent(value);
  });
  return { method, path: filled, isServedByReplicas };
}

/** A node is named in a path by its UID. */
function pathText(argument: unknown): string {
  if (typeof argument !== 'object' || argument === null) return String(argument);
  const { uid, type, key } = argument as Readonly<Record<string, string>>;
  return uid ?? nodeUid(String(type), String(key));
}

async function call(transport: Transport, entry: ParsedEntry, args: readonly unknown[]) {
  const pathArguments = entry.path.match(PATH_ARGUMENT)?.length ?? 0;
  const rest = args.slice(pathArguments);
  const body = entry.takesBody ? rest.shift() : undefined;
  const query = entry.takesQuery ? rest.shift() : undefined;
  const wanted: Call = {
    ...targetOf(entry, args),
    ...jsonBody(body),
    query: query as Call['query'],
    ...(rest[0] as CallOptions | undefined),
  };
  if (entry.answer === 'json') return await transport.json(wanted);
  if (entry.answer === 'bytes') return await transport.bytes(wanted);
  const { text } = await transport.send(wanted);
  return entry.answer === 'text' ? text : undefined;
}

export function jsonBody(value: unknown): { body?: string } {
  return value === undefined ? {} : { body: JSON.stringify(value) };
}
