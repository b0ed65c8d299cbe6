import { availableParallelism } from 'node:os';
import type { AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Diagnostic } from './compile/diagnostic.ts';
import { EndpointCompiler } from './compile/endpoint-compiler.ts';
import type { EndpointAnswer } from './call-outcome.ts';
import type { EndpointChange, EndpointDefinition, NewEndpoint } from './endpoint-definition.ts';
import { EndpointDefinitions } from './endpoint-definitions.ts';
import { EndpointRuntime } from './endpoint-runtime.ts';
import type { EndpointRun } from './endpoint-runtime.ts';
import { EndpointStore } from './endpoint-store.ts';
import type { RuntimeLogger } from './runtime-logger.ts';
import { EndpointPool } from './sandbox/endpoint-pool.ts';

export interface EndpointServiceOptions {
  /** The folder of the state; absolute. */
  readonly storage: string;
  /** That LMDB encrypts the graph with; undefined when it is not encrypted. */
  readonly environmentKey: string | undefined;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly logger: RuntimeLogger;
  readonly clock: Clock;
  readonly audit: AuditTrail;
  /** Workers for endpoint code; the main thread keeps a processor for itself. */
  readonly workers?: number;
}

/**
 * Everything about custom endpoints (open-shapes, section 5): their definitions, their compiler,
 * and the workers that run them.
 */
export class EndpointService implements AsyncDisposable {
  readonly #compiler: EndpointCompiler;
  readonly #pool: EndpointPool;
  readonly #definitions: EndpointDefinitions;
  readonly #runtime: EndpointRuntime;

  constructor(options: EndpointServiceOptions, pool: EndpointPool) {
    const store = new EndpointStore(options.reader);
    this.#pool = pool;
    this.#compiler = new EndpointCompiler();
    this.#definitions = new EndpointDefinitions({ ...options, store, compiler: this.#compiler });
    this.#runtime = new EndpointRuntime({ ...options, store, pool });
  }

  create(caller: Caller, endpoint: NewEndpoint): Promise<EndpointDefinition> {
    return this.#definitions.create(caller, endpoint);
  }

  list(_caller: Caller, page: { readonly skip: number; readonly take: number }) {
    return this.#definitions.list(page);
  }

  get(_caller: Caller, name: string): EndpointDefinition {
    return this.#definitions.get(name);
  }

  put(caller: Caller, name: string, change: EndpointChange): Promise<EndpointDefinition> {
    return this.#definitions.change(caller, name, change);
  }

  delete(_caller: Caller, name: string): Promise<void> {
    return this.#definitions.delete(name);
  }

  async check(
    _caller: Caller,
    draft: { readonly code: string; readonly isReadOnly?: boolean | undefined },
  ): Promise<{ readonly diagnostics: Diagnostic[] }> {
    return { diagnostics: await this.#definitions.check(draft.code, draft.isReadOnly ?? false) };
  }

  run(run: EndpointRun): Promise<EndpointAnswer> {
    return this.#runtime.run(run);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#pool.close(), this.#compiler.close()]);
  }
}

/** Fails where the process would give secrets away to endpoint code: see `sandbox/isolation.ts`. */
export async function openEndpointService(
  options: EndpointServiceOptions,
): Promise<EndpointService> {
  const { storage, environmentKey, logger } = options;
  const size = options.workers ?? Math.max(1, availableParallelism() - 1);
  const pool = await EndpointPool.start({ storage, environmentKey, logger, size });
  return new EndpointService(options, pool);
}
