import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { errorAnswer } from '#http/error-answer.ts';
import { forwardedHeaders } from '#http/headers.ts';
import { findUserByName } from '#identity/users.ts';
import type { EndpointAnswer } from '#runtime/call-outcome.ts';
import { notFound } from '#runtime/endpoint-definitions.ts';
import type { EndpointRuntime } from '#runtime/endpoint-runtime.ts';
import type { StoredEndpoint } from '#runtime/endpoint-store.ts';
import type { InProcessPool } from '#runtime/in-process/in-process-pool.ts';
import type { MemoryState } from '#store/memory-state.ts';
import type {
  TestAnswer,
  TestedEndpoint,
  TestLogLine,
  TestProgress,
  TestRun,
  TestWorkspace,
} from '@trellis/endpoint/testing.ts';
import type { RuntimeLogger } from '#runtime/endpoint-log.ts';
import type { BenchEndpoints } from './bench-endpoints.ts';
import type { BenchSearch } from './bench-search.ts';
import { SERVER } from '../endpoint-files.ts';

/** Who fills a test workspace and looks into it. */
export const ADMINISTRATOR: Caller = { ...SERVER, tokenId: 'test' };

export interface BenchParts {
  readonly state: MemoryState;
  readonly reader: StateReader;
  readonly pool: InProcessPool;
  readonly endpoints: BenchEndpoints;
  readonly runtime: EndpointRuntime;
  readonly search: BenchSearch;
  readonly log: BenchLog;
}

/** A token that belongs to the system and acts as no user. */
const NOBODY: Caller = { ...ADMINISTRATOR, kind: 'endpoint', isAdmin: false, endpointPath: '' };
const FAILURE = 500;

export class BenchWorkspace implements TestWorkspace {
  readonly logs: readonly TestLogLine[];
  readonly progress: TestProgress[] = [];
  readonly #parts: BenchParts;

  constructor(parts: BenchParts) {
    this.#parts = parts;
    this.logs = parts.log.lines;
  }

  async run(endpoint: TestedEndpoint | URL | string, run: TestRun = {}): Promise<TestAnswer> {
    const { body, headers = {}, user, signal, ...settings } = run;
    const caller = user === undefined ? NOBODY : this.#callerNamed(user);
    const stored = await this.#parts.endpoints.prepare(endpoint, settings);
    if (stored === undefined) return refused(notFound(String(endpoint)));
    try {
      return answered(await this.#call(stored, { caller, body, headers, signal }));
    } catch (error) {
      if (error instanceof Problem) return refused(error);
      throw error;
    }
  }

  async evaluate<Value>(code: (scope: never) => Value): Promise<Awaited<Value>> {
    const stored = await this.#parts.endpoints.prepare(code, {});
    if (stored === undefined) throw notFound('evaluate');
    const call = { caller: ADMINISTRATOR, body: undefined, headers: {}, signal: undefined };
    const { body } = await this.#call(stored, call);
    return JSON.parse(body ?? 'null');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#parts.runtime.close();
    await this.#parts.endpoints.close();
    await this.#parts.state[Symbol.asyncDispose]();
  }

  /** Rejects with what the runtime does; of a failure the cause is what was thrown. */
  async #call(endpoint: StoredEndpoint, call: Call): Promise<EndpointAnswer> {
    const { endpoints, runtime, pool, search } = this.#parts;
    await search.embedTexts();
    const signal = AbortSignal.any(call.signal === undefined ? [] : [call.signal]);
    const { name } = endpoint.definition;
    try {
      return await endpoints.standFor(endpoint, () =>
        runtime.run({
          name,
          caller: call.caller,
          body: call.body === undefined ? null : JSON.stringify(call.body),
          headers: forwardedHeaders(Object.fromEntries(new Headers(call.headers))),
          authorization: undefined,
          runKey: null,
          signal,
          onProgress: (progress) => void this.progress.push(progress),
        }),
      );
    } catch (error) {
      throw withCause(error, pool.failureOf(signal));
    }
  }

  #callerNamed(name: string): Caller {
    this.#parts.reader.refresh();
    const user = findUserByName(this.#parts.reader, name);
    if (user === undefined) {
      throw new Problem('user_not_found', `There is no user "${name}" in the test workspace`);
    }
    const { uid, userName, isAdmin, isReadOnlyAdmin, isGuest, roles } = user;
    const rights = { userName, isAdmin, isReadOnlyAdmin, isGuest, roles };
    return { ...ADMINISTRATOR, ...rights, userUid: uid };
  }
}

interface Call {
  readonly caller: Caller;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
}

function answered({ status, headers, body }: EndpointAnswer): TestAnswer {
  return {
    status,
    ...(headers === undefined ? {} : { headers }),
    ...(body === null ? {} : { body: JSON.parse(body) }),
  };
}

/** As the server answers it, without the number that leads to its log. Throws what is a failure. */
function refused(problem: Problem): TestAnswer {
  const { status, body } = errorAnswer(problem, '');
  if (status >= FAILURE) throw problem;
  return { status, body: { error: body.error } };
}

/** In a test everybody may know why: the message is that of what was thrown. */
function withCause(error: unknown, cause: unknown): unknown {
  if (!(error instanceof Problem) || error.code !== 'endpoint_failed' || cause === undefined) {
    return error;
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Problem(error.code, `The endpoint failed: ${reason}`, { cause });
}

/**
 * Keeps the lines of endpoints. What the server says of a failed run has a `kind`, and shows in the
 * error of the run.
 */
export class BenchLog implements RuntimeLogger {
  readonly lines: TestLogLine[] = [];

  debug(fields: object, message: string): void {
    this.#add('debug', fields, message);
  }

  info(fields: object, message: string): void {
    this.#add('info', fields, message);
  }

  warn(fields: object, message: string): void {
    this.#add('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#add('error', fields, message);
  }

  #add(level: TestLogLine['level'], fields: object, message: string): void {
    if ('kind' in fields || !('endpoint' in fields)) return;
    const data = 'data' in fields ? { data: fields.data } : {};
    this.lines.push({ level, endpoint: String(fields.endpoint), message, ...data });
  }
}
