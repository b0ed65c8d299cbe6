import { AccessIndex } from '#access/access-index.ts';
import { must } from '#base/assert.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { abortCall, startCall } from '../guest/calls.ts';
import type { Endpoint, LoadedEndpoint } from '../guest/calls.ts';
import { Problem as GuestProblem } from '../guest/channel.ts';
import { TOO_LATE } from '../sandbox/call-faults.ts';
import { CallFault } from '../sandbox/endpoint-call.ts';
import type {
  CallResult,
  CallSignal,
  EndpointCall,
  LoadableEndpoint,
} from '../sandbox/endpoint-call.ts';
import type { LiveSearcher } from '#search/service/live-searcher.ts';
import type { SearchSources } from '../sandbox/graph-requests.ts';
import { RunningCall } from '../sandbox/running-call.ts';
import { UserTexts } from '../sandbox/user-texts.ts';
import { InProcessCall } from './in-process-call.ts';
import { realm } from './shared-realm.ts';

/**
 * Runs the code of endpoints in the realm of the process itself, where breakpoints hold and coverage is counted. The
 * scope, what it may ask for and what comes of a call are those of `EndpointPool`. There are no walls around the code, and
 * code that never comes back is never ended.
 */
export class InProcessPool {
  readonly #users: UserTexts;
  readonly #sources: SearchSources;
  readonly #loaded = new WeakMap<LoadableEndpoint, LoadedEndpoint>();
  /** Why the last of the calls that share a signal failed: one from outside, and those that it makes. */
  readonly #failures = new WeakMap<CallSignal, unknown>();

  constructor(reader: StateReader, live: LiveSearcher) {
    this.#users = new UserTexts(reader);
    this.#sources = {
      reader,
      access: new AccessIndex(reader),
      get searcher() {
        return live.current();
      },
    };
  }

  /** What is to run for a call of this object: the text of its script is not looked at. */
  load(loadable: LoadableEndpoint, endpoint: LoadedEndpoint): void {
    this.#loaded.set(loadable, endpoint);
  }

  /** What the code threw, when the call from outside that has this signal failed. */
  failureOf(signal: CallSignal): unknown {
    return this.#failures.get(signal);
  }

  /** As `EndpointPool.run`; the signal is an `AbortSignal`. */
  async run(call: EndpointCall): Promise<CallResult> {
    const { endpoint, signal, body, headers, caller, deadline } = call;
    if (signal.aborted) return RunningCall.refuse(call, signal.reason);
    const loaded = must(this.#loaded.get(endpoint), 'an endpoint that is loaded');
    let thrown: unknown;
    const main: Endpoint = async (scope) => {
      try {
        return await loaded.main(scope);
      } catch (error) {
        thrown = error;
        throw error;
      }
    };
    const inProcess = new InProcessCall(call, this.#sources);
    const id = realm.add((item) => inProcess.take(item));
    const running = new RunningCall(id, call, () => undefined);
    void inProcess.result
      .then(
        (result) => running.resolve(result),
        (fault: unknown) => running.reject(fault),
      )
      .then(() => realm.remove(id));
    const late = setTimeout(
      () => {
        realm.remove(id);
        running.reject(TOO_LATE);
      },
      Math.max(0, deadline - performance.now()),
    );
    const leave = () => {
      abortCall(id);
      running.forsake(signal.reason);
    };
    if (signal instanceof AbortSignal) signal.addEventListener('abort', leave);
    const user = this.#users.textOf(caller.userUid, this.#sources.reader.refresh());
    startCall(id, { ...loaded, main }, { body, headers, user });
    try {
      return await running.result;
    } catch (fault) {
      if (fault instanceof CallFault) this.#note(signal, thrown ?? fault);
      throw fault;
    } finally {
      clearTimeout(late);
      if (signal instanceof AbortSignal) signal.removeEventListener('abort', leave);
    }
  }

  #note(signal: CallSignal, failure: unknown): void {
    if (failure instanceof GuestProblem) {
      // Where it was asked for is not what it says: see `ask` of the guest's channel.
      const { name, message, stack = '' } = failure;
      failure.stack = `${name}: ${message}${stack.slice(stack.indexOf('\n'))}`;
      // What `run()` throws comes of what the other endpoint threw.
      if (failure.code === 'endpoint_failed') failure.cause ??= this.#failures.get(signal);
    }
    this.#failures.set(signal, failure);
  }
}
