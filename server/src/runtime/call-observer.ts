import { CallFault, type CallResult, type EndpointCall } from './sandbox/endpoint-call.ts';

/** Whoever wants to be told of each call of an endpoint. */
export interface CallObserver {
  begin(call: { readonly endpoint: string; readonly isNested: boolean }): ObservedCall;
}

export interface ObservedCall {
  /** What the code of the endpoint asks the main thread for is done within. */
  within<T>(work: () => T): T;
  /** `fault` is a word for what went wrong; undefined when it went well. */
  end(fault: string | undefined): void;
}

/** What runs calls of endpoints, whatever it is. */
export interface Pool {
  /** Starts what the first call would wait for; undefined once it is there. */
  prepare(): Promise<void> | undefined;
  run(call: EndpointCall): Promise<CallResult>;
}

/** The pool, with an observer of its calls; without one it is the pool itself. */
export function observedPool(pool: Pool, observer: CallObserver | undefined): Pool {
  if (observer === undefined) return pool;
  return {
    prepare: () => pool.prepare(),
    run: async (call) => {
      const isNested = call.parent !== undefined;
      const observed = observer.begin({ endpoint: call.endpoint.name, isNested });
      call.host.within = (work) => observed.within(work);
      try {
        const result = await pool.run(call);
        observed.end(result.kind === 'answer' && result.status >= 500 ? 'answer' : undefined);
        return result;
      } catch (error) {
        observed.end(error instanceof CallFault ? error.kind : 'aborted');
        throw error;
      }
    },
  };
}
