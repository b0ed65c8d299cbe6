import type { AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { accessWritten } from '#access/ingest-service.ts';
import {
  ENDPOINT_LOG_CHARACTERS_MAX,
  ENDPOINT_LOG_LINES_MAX,
  INGEST_COMMIT_OPERATIONS_MAX,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort, GraphOperation } from '#graph/operations.ts';
import type { RuntimeLogger } from './runtime-logger.ts';
import type { CallHost, EndpointCall, HostAnswer } from './sandbox/endpoint-call.ts';

export interface InvocationOptions {
  readonly endpoint: string;
  readonly caller: Caller;
  /** Nothing may be written, by this call or by those that it makes. */
  readonly isReadOnly: boolean;
  readonly parent: Invocation | undefined;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly logger: RuntimeLogger;
  /** Runs another endpoint on behalf of this one. */
  readonly run: (parent: Invocation, path: string, body: string) => Promise<HostAnswer>;
}

/**
 * One run of an endpoint as the main thread knows it. Whatever its code asks for is held against
 * this record, not against anything that the code or its worker says.
 */
export class Invocation implements CallHost {
  readonly caller: Caller;
  readonly isReadOnly: boolean;
  /** 1 for a call from outside. */
  readonly depth: number;
  /** The call of the pool that this is the host of; there before any code runs. */
  call: EndpointCall | undefined;
  readonly #options: InvocationOptions;
  #hasWritten = false;
  #logLines = 0;

  constructor(options: InvocationOptions) {
    this.#options = options;
    this.caller = options.caller;
    this.isReadOnly = options.isReadOnly || options.parent?.isReadOnly === true;
    this.depth = (options.parent?.depth ?? 0) + 1;
  }

  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  async ask(operation: string, args: string): Promise<HostAnswer> {
    const parsed: unknown = JSON.parse(args);
    switch (operation) {
      case 'commit':
        return this.#commit(parsed);
      case 'run':
        return this.#run(parsed);
      default:
        throw new Problem('invalid_request', `There is no operation "${operation}"`);
    }
  }

  /** A line of the endpoint's own in the server's log. */
  log(level: string, record: string): void {
    if (++this.#logLines > ENDPOINT_LOG_LINES_MAX) return;
    const { endpoint, logger } = this.#options;
    if (this.#logLines === ENDPOINT_LOG_LINES_MAX) {
      logger.warn({ endpoint }, 'this run logs too much: the rest is left out');
      return;
    }
    const isTooLong = record.length > ENDPOINT_LOG_CHARACTERS_MAX;
    const { message, data } = Object(isTooLong ? {} : JSON.parse(record)) as Record<
      string,
      unknown
    >;
    const text = isTooLong ? record.slice(0, ENDPOINT_LOG_CHARACTERS_MAX) : String(message);
    const fields = { endpoint, ...(data === undefined ? {} : { data }) };
    switch (level) {
      case 'debug':
        return logger.debug(fields, text);
      case 'warn':
        return logger.warn(fields, text);
      case 'error':
        return logger.error(fields, text);
      default:
        return logger.info(fields, text);
    }
  }

  /** From now on neither this run nor those that wait for it may be begun again. */
  noteWrite(): void {
    this.#hasWritten = true;
    this.#options.parent?.noteWrite();
  }

  async #commit(operations: unknown): Promise<HostAnswer> {
    if (this.isReadOnly) {
      throw new Problem('forbidden', 'This endpoint is marked Read Only: it cannot write', {
        hint: 'Take the mark off, or let another endpoint write.',
      });
    }
    if (!Array.isArray(operations) || operations.length > INGEST_COMMIT_OPERATIONS_MAX) {
      throw new Problem(
        'invalid_request',
        `A transaction has at most ${INGEST_COMMIT_OPERATIONS_MAX} operations`,
      );
    }
    this.noteWrite();
    // The writer checks the shape of each operation, as of those that come over HTTP. Code that may
    // write may also say who sees what: only administrators write code.
    const { sequence, outcomes } = await this.#options.commits.commit({
      operations: operations as GraphOperation[],
      accessControl: { trace: this.#trace() },
    });
    return { json: JSON.stringify(outcomes), sequence };
  }

  #trace(): GraphOperation {
    const { audit, caller, endpoint } = this.#options;
    return audit.operation(accessWritten({ caller, address: null }, { via: 'endpoint', endpoint }));
  }

  #run(request: unknown): Promise<HostAnswer> {
    const { path, body } = Object(request) as Record<string, unknown>;
    const text = typeof body === 'string' ? body : '';
    return this.#options.run(this, String(path), text);
  }
}
