import type { Ai } from './ai.ts';
import type { GraphReads } from './graph-reads.ts';
import type { GraphWrites } from './graph-writes.ts';
import type { NodeBase, NodeOf, NodeTypeName } from './nodes.ts';
import type { QueryStart } from './query.ts';
import type { SearchAnswer, SearchRequest, SuggestRequest, Suggestion } from './search.ts';

/**
 * The graph of this workspace, read and written as the system: no access rule limits the code of an
 * endpoint.
 */
export interface Graph extends GraphReads, GraphWrites {}

/** A user of this workspace. */
export interface WorkspaceUser extends NodeBase {
  readonly Type: '_User';
  readonly UserName: string;
  readonly FirstName?: string;
  readonly LastName?: string;
  readonly FullName?: string;
  readonly Email?: string;
}

/** Lines in the server's log, under the name of this endpoint. */
export interface Log {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}

/** Says when the caller has gone away and nobody waits for the answer any more. */
export interface AbortSignal {
  readonly aborted: boolean;
  /** Throws when `aborted`. */
  throwIfAborted(): void;
  addEventListener(event: 'abort', listener: () => void): void;
  removeEventListener(event: 'abort', listener: () => void): void;
}

/**
 * An answer with a status of its own. Return it, or throw it. `Answer` is what it says with the
 * status 200: `never` where it has another one.
 */
export interface Reply<Answer = unknown> {
  readonly status: number;
  /** For the types only: no answer has it. */
  readonly '~answer': Answer;
}

/** What the server refused to do, and why. Thrown by `graph`, `q()`, `run` and `fetch`. */
export interface Problem extends Error {
  /** Stable, in snake_case: `node_not_found`, `version_conflict`, ... */
  readonly code: string;
  readonly hint?: string;
}

/** A secret in the value of a header of `fetch`. Code never has its value. */
export interface Secret {
  /** For the types only. */
  readonly '~secret': string;
}

/**
 * The secrets of this workspace by name. The server adds a member for each for an editor, which
 * offers their names.
 */
export interface Secrets {}

/** Any text; editors offer the names of secrets. */
type SecretName = (keyof Secrets & string) | (string & {});

/** What `fetch` takes beside the address. */
export interface FetchOptions {
  /** `GET` when not given. */
  readonly method?: string;
  /** A secret stands only here: not in the address, nor in the body. */
  readonly headers?: Readonly<Record<string, string | Secret>>;
  /** A text: `JSON.stringify()` makes one of anything else. */
  readonly body?: string;
}

/** What another server answered, read to its end. */
export interface FetchAnswer {
  /** Whether the status is one of 200 to 299. */
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  /** Throws when it is not JSON. */
  json(): Promise<unknown>;
}

/**
 * The endpoints of this workspace by name, each with `input` and `output`: what it takes and
 * answers. The server adds a member for each that code names before it checks the code.
 */
export interface Endpoints {}

/** The name of an endpoint of this workspace. */
export type EndpointName = keyof Endpoints & string;

/** What `run()` takes after a path: a body of the type that the endpoint has, if it is known. */
export type RunArguments<Path> = Path extends EndpointName
  ? Endpoints[Path] extends { readonly input: infer Input }
    ? undefined extends Input
      ? [body?: Input]
      : [body: Input]
    : never
  : [body?: unknown];

/** What `run()` gives: what the call says, or else what the endpoint answers. */
export type RunAnswer<Answer, Path> = [Answer] extends [never]
  ? Path extends EndpointName
    ? Endpoints[Path] extends { readonly output: infer Output }
      ? Output
      : never
    : unknown
  : Answer;

/** Any text; editors offer the names of endpoints. */
type RunPath = EndpointName | (string & {});

/** The type of a body: of what `input` gives, for `Scope<typeof input>`. */
export type BodyOf<Body> = Body extends { readonly _zod: { readonly output: infer Output } }
  ? Output
  : Body;

/**
 * What an endpoint is given. `Body` is the shape of the JSON it is called with, such as
 * `Scope<{ word: string }>`: the server checks each body against it and refuses others with
 * `invalid_request`. A schema of zod says more: `export const input = z.object({ ... })`, and
 * `Scope<typeof input>`.
 */
export interface Scope<Body = unknown> {
  /** The JSON of the request; undefined when it came without a body. */
  readonly body: BodyOf<Body>;
  /** Headers of the request, in lower case, without those that carry credentials. */
  readonly headers: { readonly [name: string]: string | undefined };
  /** The user on whose behalf the endpoint runs; null for a token that belongs to the system. */
  readonly CurrentUser: WorkspaceUser | null;
  /** Reads and writes single nodes and edges, as the system. */
  readonly graph: Graph;
  /** Begins a query. */
  q(): QueryStart;
  /** Searches everything, as the system: what it answers may not be for the caller's eyes. */
  search<T extends NodeTypeName = NodeTypeName>(
    request: SearchRequest<T> | string,
  ): Promise<SearchAnswer<NodeOf<T>>>;
  /**
   * Searches what `CurrentUser` may see, in the fields that they may read: hits, counts, facets and
   * passages are those of somebody for whom the rest does not exist. Throws the problem
   * `invalid_request` when there is no user.
   */
  searchAsUser<T extends NodeTypeName = NodeTypeName>(
    request: SearchRequest<T> | string,
  ): Promise<SearchAnswer<NodeOf<T>>>;
  /**
   * Words that the last word of a query may become, of what `CurrentUser` may see; the most
   * frequent first.
   */
  suggestAsUser(request: SuggestRequest): Promise<readonly Suggestion[]>;
  /**
   * Runs another endpoint as the same caller and gives what it answers. When that is an error,
   * throws the problem `endpoint_failed` or the code of the error. Where the path is a literal, the
   * body and the answer have the types of the endpoint of that name; `run<Answer>(...)` says
   * another one.
   */
  run<Answer = never, Path extends RunPath = string>(
    path: Path,
    ...body: RunArguments<Path>
  ): Promise<RunAnswer<NoInfer<Answer>, Path>>;
  /**
   * As `run`, but on the primary, also when this code runs on a replica: for an endpoint that
   * writes, or reads what was written a moment ago. It runs as the caller had called it there: a
   * mark Read Only of this endpoint does not extend to it.
   */
  runOnPrimary<Answer = never, Path extends RunPath = string>(
    path: Path,
    ...body: RunArguments<Path>
  ): Promise<RunAnswer<NoInfer<Answer>, Path>>;
  /**
   * Asks another server, if an administrator has allowed its origin (the setting `fetchAllowList`).
   * Redirects are not followed. Throws the problem `forbidden`, or `fetch_failed`.
   */
  fetch(url: string, options?: FetchOptions): Promise<FetchAnswer>;
  /**
   * Names a secret that an administrator has set, as the value of a header of `fetch`:
   * `{ authorization: secret('CRM_KEY', 'Bearer {}') }`. The server puts the value in the place of
   * `{}`, on the way to one of the hosts of the secret, and `[secret CRM_KEY]` in the place of the
   * value in what is answered. Throws nothing; `fetch` throws the problem `secret_not_found`,
   * `secret_not_allowed`, or `secret_unreadable`.
   */
  secret(name: SecretName, template?: string): Secret;
  /** Asks models and agents, as `CurrentUser`. */
  readonly ai: Ai;
  /**
   * Says how far the run is, from 0 to 1, or in words, to whoever waits for it (mode "pooling").
   */
  progress(text: string): void;
  progress(fraction: number, text?: string): void;
  /** Writes lines to the server's log, which administrators can watch. */
  readonly log: Log;
  /** Aborted when the caller has gone away, or has cancelled the run. */
  readonly signal: AbortSignal;
  /** 200 with this JSON, as if it were returned. */
  ok<Answer = null>(value?: Answer): Reply<Answer>;
  /** Any status from 200 to 599, with this JSON. */
  status(status: number, value?: unknown): Reply;
  /**
   * 400. A text becomes the message of the error body; anything else is sent as it is. The next
   * three likewise.
   */
  badRequest(messageOrValue?: unknown): Reply<never>;
  /** 401. */
  unauthorized(messageOrValue?: unknown): Reply<never>;
  /** 403. */
  forbidden(messageOrValue?: unknown): Reply<never>;
  /** 404. */
  notFound(messageOrValue?: unknown): Reply<never>;
  /**
   * Answers with the problem that `graph`, `q()`, a search or `run` threw, under its own code and
   * status: for what the caller caused, such as a name that the schema does not have. Any other
   * error is thrown again.
   */
  passOn(error: unknown): Reply<never>;
  /** Sends the caller to another URL: 302, or 301, 303, 307, 308. */
  redirect(url: string, status?: 301 | 302 | 303 | 307 | 308): Reply;
}

/** The default export of an endpoint. */
export type Endpoint = (scope: Scope<never>) => unknown;
