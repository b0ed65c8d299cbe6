import { ENDPOINT_RESULT_BYTES_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { settle } from '../guest/channel.ts';
import { CallFault } from '../sandbox/endpoint-call.ts';
import type { CallResult, EndpointCall } from '../sandbox/endpoint-call.ts';
import {
  answerRead,
  answerSearch,
  READ_OPERATIONS,
  SEARCH_OPERATIONS,
} from '../sandbox/graph-requests.ts';
import type { SearchSources } from '../sandbox/graph-requests.ts';
import type { GuestItem } from './shared-realm.ts';

/**
 * The host's side of one call whose code runs in this realm. Reads are answered at once, the rest is asked of the
 * `CallHost`, as from a worker: see `sandbox/guest-host.ts`.
 */
export class InProcessCall {
  readonly result: Promise<CallResult>;
  readonly #call: EndpointCall;
  readonly #sources: SearchSources;
  readonly #settle: PromiseWithResolvers<CallResult>;

  constructor(call: EndpointCall, sources: SearchSources) {
    this.#call = call;
    this.#sources = sources;
    this.#settle = Promise.withResolvers();
    this.result = this.#settle.promise;
  }

  take({ kind, third, fourth, payload }: GuestItem): void {
    const { host } = this.#call;
    switch (kind) {
      case 'ask':
        void this.#answer(Number(third), String(fourth), payload);
        return;
      case 'log':
        return host.log(String(third), payload);
      case 'unlogged':
        return host.unlogged(Number(third));
      case 'progress':
        return host.progress(payload);
      default:
        this.#end(kind, Number(third), payload);
    }
  }

  async #answer(request: number, operation: string, payload: string): Promise<void> {
    try {
      settle(request, true, await this.#ask(operation, payload));
    } catch (error) {
      if (!(error instanceof Problem)) this.#settle.reject(error);
      else settle(request, false, JSON.stringify(error.toMessage()));
    }
  }

  #ask(operation: string, payload: string): string | Promise<string> {
    const { host, caller } = this.#call;
    const isSearch = SEARCH_OPERATIONS.has(operation);
    if (!isSearch && !READ_OPERATIONS.has(operation)) {
      return host.ask(operation, payload).then(({ json }) => json);
    }
    this.#sources.reader.refresh();
    return (isSearch ? answerSearch : answerRead)(this.#sources, caller, operation, payload);
  }

  #end(kind: unknown, status: number, payload: string): void {
    if (payload.length > ENDPOINT_RESULT_BYTES_MAX) {
      const message = `the result is larger than ${ENDPOINT_RESULT_BYTES_MAX} bytes`;
      this.#settle.reject(new CallFault('failed', message));
      return;
    }
    switch (kind) {
      case 'answer':
        return this.#settle.resolve({ kind, status, json: payload });
      case 'refusal':
        return this.#settle.resolve({ kind, status, message: payload });
      case 'redirect':
        return this.#settle.resolve({ kind, status, location: payload });
      case 'problem':
        return this.#settle.resolve({ kind, json: payload });
      case 'invalid':
        return this.#settle.resolve({ kind, faults: payload });
      case 'malformed':
        return this.#settle.reject(new CallFault('malformed', payload));
      default: {
        const { message, stack } = JSON.parse(payload) as { message: string; stack: string };
        this.#settle.reject(new CallFault('failed', message, stack));
      }
    }
  }
}
