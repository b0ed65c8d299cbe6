import { Problem } from '#base/problem.ts';
import { CallFault } from './endpoint-call.ts';
import type { EndpointCall } from './endpoint-call.ts';
import type { RunningCall } from './running-call.ts';

/** How often a call is begun again when its worker ends under it. */
const RETRIES_MAX = 1;

export const STOPPED = new CallFault('stopped', 'its worker ended, for no reason of its own');
export const TOO_LATE = new CallFault('timeout', 'it ran longer than it may');
export const TOO_MUCH_MEMORY = new CallFault('memory', 'it used too much memory');

/** The call, and those that wait for it: begun again, they would only make it anew. */
export function* withCallers(first: EndpointCall): Generator<EndpointCall> {
  yield first;
  if (first.parent !== undefined) yield* withCallers(first.parent);
}

/** Of calls whose worker ends, those that end with it, and those that wait for these. */
export function faultsOf(
  calls: readonly RunningCall[],
  faultFor: (running: RunningCall) => CallFault | undefined,
): ReadonlyMap<EndpointCall, CallFault> {
  const faults = new Map<EndpointCall, CallFault>();
  for (const running of calls) {
    const fault = faultFor(running);
    if (fault === undefined) continue;
    for (const call of withCallers(running.call)) faults.set(call, fault);
  }
  return faults;
}

/** Why a call whose worker ended is not begun again. */
export function faultOfRetry({ call, retries }: RunningCall): CallFault | undefined {
  return call.host.hasWritten || retries >= RETRIES_MAX ? STOPPED : undefined;
}

/** Why a call is not taken, or has no result, at the end of the process. */
export function stopping(): Problem {
  return new Problem('server_stopping', 'The server is stopping');
}
