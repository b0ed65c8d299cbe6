import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Role, Scope, TokenKind } from './rights.ts';
import { BODY_BYTES_MAX_DEFAULT, STRANGER_BODY_BYTES_MAX } from './request-limits.ts';

/**
 * One row of the operations table: everything that a client, the server, the documentation and the
 * tests need to know of a route. The path is an RFC 6570 template: `{name}` is one segment,
 * `{+name}` the rest of the path, slashes included.
 */
export interface Operation {
  /** Unique; the name of the row in its file, and of its handler in `server/src/http/routes`. */
  readonly id: string;
  /**
   * The method of the SDK, such as `tasks.list` for `client.tasks.list()`. Absent where clients of
   * another protocol call: those of OpenAI, Anthropic and MCP, and the servers among themselves.
   */
  readonly sdk?: `${string}.${string}`;
  readonly area: Area;
  readonly method: Method;
  readonly path: `/${string}`;
  readonly auth: Auth;
  /**
   * A scope that suffices instead of what `auth` asks for, when a token that carries scopes calls;
   * or any one of several.
   */
  readonly scope?: Scope | readonly Scope[];
  /** A role that suffices instead of being the administrator that `auth` asks for. */
  readonly role?: Role;
  /**
   * A header that may carry the token instead of `Authorization`, as clients of another protocol
   * send theirs.
   */
  readonly tokenHeader?: 'x-api-key';
  /** Kinds of tokens that may call by their kind alone; the service checks what they carry. */
  readonly tokens?: readonly TokenKind[];
  /** Whether a guest may not call although a signed-in user may. */
  readonly noGuests?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Headers that not all operations take; names in lower case. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /**
   * What the body is, for those who read of it, where the server looks at less of it before the
   * route is called.
   */
  readonly documentedBody?: z.ZodType;
  /**
   * What the body may have at most, decompressed, where it is taken as a whole; see
   * `bodyBytesMaxOf`. Streams and uploads have limits of their own.
   */
  readonly bodyBytesMax?: number;
  /** Media types of the body; `application/json` when not given. */
  readonly consumes?: readonly MediaType[];
  /** Whether the body may come with `Content-Encoding: gzip`. */
  readonly gzip?: boolean;
  readonly responses: Readonly<Record<number, ResponseShape>>;
  /**
   * Whether the answer may have any other status as well, as the code of an endpoint chooses it.
   */
  readonly anyStatus?: true;
  /** Codes of the error catalogue beyond those that any operation may answer. */
  readonly errors: readonly ErrorCode[];
  /**
   * What a replica does: answer, or send the caller to the primary with 303 (specification, section
   * 4.8).
   */
  readonly onReplica: 'serve' | 'redirect';
  /** One sentence for documentation and `--help`. */
  readonly summary: string;
}

/** What a file of `operations/` holds: rows under their ids. */
export type Rows = Readonly<Record<string, Omit<Operation, 'id'>>>;

/** Codes of any operation that writes. */
export const STORE_ERRORS = ['storage_failed', 'storage_full'] as const;

/** Codes of any operation that changes what another caller may change at the same time. */
export const CHANGE_ERRORS = ['version_conflict', ...STORE_ERRORS] as const;

/** Codes of any operation that asks a model. */
export const MODEL_ERRORS = [
  'llm_not_configured',
  'model_not_found',
  'llm_quota_exceeded',
  'llm_request_refused',
  'llm_busy',
  'llm_unavailable',
  'llm_misconfigured',
] as const;

/** Puts the id of each row, which is its name in the file, into the row. */
export function withIds<const R extends Rows>(
  rows: R,
): { readonly [Id in keyof R & string]: R[Id] & { readonly id: Id } } {
  const entries = Object.entries(rows).map(([id, row]) => [id, { id, ...row }] as const);
  return Object.fromEntries(entries) as ReturnType<typeof withIds<R>>;
}

export type Area =
  | 'login'
  | 'sso'
  | 'oauth'
  | 'users'
  | 'teams'
  | 'scim'
  | 'tokens'
  | 'audit'
  | 'access'
  | 'workspace'
  | 'schema'
  | 'ingest'
  | 'nodes'
  | 'duplicates'
  | 'documents'
  | 'files'
  | 'endpoints'
  | 'modules'
  | 'build'
  | 'code-history'
  | 'stats'
  | 'jobs'
  | 'backups'
  | 'tasks'
  | 'triggers'
  | 'webhooks'
  | 'connectors'
  | 'migrations'
  | 'search'
  | 'assistant'
  | 'llm'
  | 'replicas'
  | 'status';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type MediaType =
  | 'application/json'
  | 'application/octet-stream'
  | 'application/scim+json'
  | 'application/x-ndjson'
  | 'application/x-www-form-urlencoded'
  | 'application/zip'
  | 'multipart/form-data';

/**
 * Who may call (specification, section 4): anybody; a signed-in user; a system administrator, the
 * read-only one included; a system administrator with write access; no session at all, only the
 * tokens that the row names.
 */
export type Auth = 'none' | 'session' | 'admin' | 'admin-write' | 'token';

export interface ResponseShape {
  readonly description: string;
  /** Absent when the answer has no body. */
  readonly body?: z.ZodType;
  /** `application/json` when not given. */
  readonly contentType?:
    | 'application/json'
    | 'application/octet-stream'
    | 'application/scim+json'
    | 'application/x-ndjson'
    | 'application/xml'
    | 'application/zip'
    | 'text/csv'
    | 'text/event-stream'
    | 'text/plain';
  /** Bytes of these types come as what they are, others as `contentType`. */
  readonly furtherTypes?: readonly string[];
  /** Whether it comes as `text/event-stream` instead when the request asks for that. */
  readonly orEvents?: true;
  /** Beside those that every answer carries. */
  readonly headers?: readonly ResponseHeader[];
}

/**
 * How many bytes the body of a request may have, decompressed, when it is read as a whole: JSON, or
 * a form.
 */
export function bodyBytesMaxOf({
  auth,
  body,
  bodyBytesMax,
}: Pick<Operation, 'auth' | 'body' | 'bodyBytesMax'>): number {
  if (bodyBytesMax !== undefined) return bodyBytesMax;
  return auth === 'none' || body === undefined ? STRANGER_BODY_BYTES_MAX : BODY_BYTES_MAX_DEFAULT;
}

/** Headers of answers, with what they say; names as Node gives them are the same in lower case. */
export const responseHeaders = {
  'X-Request-Id': 'Names this request in the log; the `traceId` of an error body is the same.',
  'X-MSK-Sequence':
    'The storage sequence number that the answer reflects. Sent as `X-MSK-Min-Sequence`, later reads reflect at least as much.',
  'X-MSK-Term':
    'Of a member of several that share a log: the term of the primary that it knows. A later primary has a higher one.',
  'Retry-After': 'Seconds to wait before the request is sent again.',
  'WWW-Authenticate':
    '`Bearer`, with `error="invalid_token"` when a token was sent; of the MCP server with `resource_metadata`.',
  Location: 'Where to send the request instead; after 201 the address of what was made.',
  ETag: 'The version of what is answered, in quotation marks; each change makes another one.',
  'Content-Disposition': 'The file name to save the answer under.',
  'Set-Cookie': 'Ties a sign-in to the browser that began it.',
  'MSK-ENDPOINT-KEY':
    'The key of a run of mode "pooling": send it again, and the same run answers.',
  'MSK-ENDPOINT-PROGRESS':
    'How far a run is, as the query of a URL: `fraction=0.25&text=Reading+books`.',
  'MSK-CACHE': 'Whether the answer was kept from an earlier run.',
  Age: 'Seconds since a kept answer was made.',
  'MSK-CHAT': 'The conversation, told before the answer is there.',
  'Mcp-Session-Id': 'To be sent with every later message of the same client.',
} as const;

export type ResponseHeader = keyof typeof responseHeaders;
