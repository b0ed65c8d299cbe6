import type { AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import { ENDPOINT_CALL_DEPTH_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { answerOf, problemOf, refusal } from './call-outcome.ts';
import type { EndpointAnswer } from './call-outcome.ts';
import { notFound } from './endpoint-definitions.ts';
import type { EndpointStore, StoredEndpoint } from './endpoint-store.ts';
import { Invocation } from './invocation.ts';
import type { RuntimeLogger } from './runtime-logger.ts';
import type { CallResult, CallSignal, EndpointCall, HostAnswer } from './sandbox/endpoint-call.ts';
import { CallFault } from './sandbox/endpoint-call.ts';
import type { EndpointPool } from './sandbox/endpoint-pool.ts';

export interface EndpointRun {
  readonly name: string;
  readonly caller: Caller;
  /** JSON text; null or empty for none. It is parsed where the endpoint runs. */
  readonly body: string | null;
  /** Of the request, as JSON text of an object: lower case, without those that carry credentials. */
  readonly headers: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: CallSignal;
}

export interface EndpointRuntimeOptions {
  readonly store: EndpointStore;
  readonly pool: EndpointPool;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly logger: RuntimeLogger;
}

/** Runs endpoints (open-shapes, section 5, "run"). */
export class EndpointRuntime {
  readonly #options: EndpointRuntimeOptions;

  constructor(options: EndpointRuntimeOptions) {
    this.#options = options;
  }

  /**
   * Resolves with what the endpoint answers, errors of its own making included. Rejects with
   * `endpoint_not_found`, `forbidden`, `endpoint_not_compiled`, `malformed_json`,
   * `endpoint_failed`, `endpoint_timeout`, `endpoint_overloaded`, with the code that a helper such
   * as `notFound()` stands for when it is given a message, and with the signal's reason.
   */
  run(run: EndpointRun): Promise<EndpointAnswer> {
    return this.#run(run, undefined).then(answerOf);
  }

  async #run(run: EndpointRun, parent: Invocation | undefined): Promise<CallResult> {
    const endpoint = this.#find(run.name, run.caller);
    const { definition } = endpoint;
    const { caller, signal, headers } = run;
    const { audit, commits, logger, pool } = this.#options;
    const invocation = new Invocation({
      endpoint: definition.name,
      caller,
      isReadOnly: definition.isReadOnly,
      parent,
      commits,
      audit,
      logger,
      run: (from, path, body) => this.#runFor(from, path, body),
    });
    const deadline = Math.min(
      performance.now() + definition.timeoutMs,
      parent?.call?.deadline ?? Infinity,
    );
    const loadable = endpoint.loadable();
    const call: EndpointCall = {
      // Each promise costs a small call some percent of its time.
      endpoint: loadable instanceof Promise ? await loadable : loadable,
      caller: definition.runAsAdmin ? { ...caller, isAdmin: true } : caller,
      body: run.body ?? '',
      headers,
      deadline,
      signal,
      parent: parent?.call,
      host: invocation,
    };
    invocation.call = call;
    try {
      return await pool.run(call);
    } catch (error) {
      if (!(error instanceof CallFault)) throw error;
      if (error.kind !== 'malformed') {
        const { kind, message, guestStack } = error;
        logger.warn({ endpoint: definition.name, kind, message, guestStack }, 'an endpoint failed');
      }
      throw problemOf(error, definition.name, caller);
    }
  }

  /** The endpoint that this caller may run under this name. */
  #find(name: string, caller: Caller): StoredEndpoint {
    const endpoint = this.#options.store.find(name);
    if (endpoint === undefined) throw notFound(name);
    const { access, isReadOnly } = endpoint.definition;
    // What administrators' code writes, somebody who only reads must not have written.
    const isAdmin = isReadOnly
      ? caller.isAdmin || caller.isReadOnlyAdmin
      : caller.isAdmin && !caller.isReadOnlyAdmin;
    if (access === 'admins' && !isAdmin) {
      throw new Problem('forbidden', `Only administrators may call the endpoint "${name}"`, {
        details: { role: isReadOnly ? 'admin' : 'admin-write' },
      });
    }
    if (endpoint.servingCode === undefined) {
      throw new Problem('endpoint_not_compiled', `The endpoint "${name}" does not compile`);
    }
    return endpoint;
  }

  /**
   * `run()` of endpoint code: as the same caller, with no more time and no more rights than the one
   * who asks.
   */
  async #runFor(parent: Invocation, name: string, body: string): Promise<HostAnswer> {
    if (parent.depth >= ENDPOINT_CALL_DEPTH_MAX) {
      throw new Problem(
        'endpoint_failed',
        `"${name}" is not run: endpoints call one another at most ${ENDPOINT_CALL_DEPTH_MAX} deep`,
      );
    }
    const { caller } = parent;
    const { signal, headers } = must(parent.call, 'the call of an invocation that asks');
    const result = await this.#run({ name, caller, body, headers, signal }, parent);
    const sequence = this.#options.reader.refresh();
    switch (result.kind) {
      case 'answer':
        if (result.status < 400) return { json: result.json, sequence };
        throw new Problem('endpoint_failed', `"${name}" answered ${result.status}`, {
          details: { status: result.status },
        });
      case 'redirect':
        return { json: JSON.stringify({ location: result.location }), sequence };
      case 'refusal':
        throw refusal(result);
    }
  }
}
