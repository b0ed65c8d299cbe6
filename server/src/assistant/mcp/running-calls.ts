import type { Caller } from '#access/caller.ts';
import { MCP_CALLS_PER_CALLER_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { callerKey } from '#runtime/caller-key.ts';

/** Names one request of one client: ids are the client's own, from 0. */
export interface RequestName {
  readonly caller: Caller;
  /** `Mcp-Session-Id`; null of a client that sends none, which cannot cancel then but by leaving. */
  readonly session: string | null;
  readonly id: string | number;
}

/**
 * The calls of tools that are under way, so that a notice which comes by another request finds the one that it cancels. A session
 * is a name that tells clients apart, and nothing is kept for it beyond its calls: any server takes any session.
 */
export class RunningCalls {
  readonly #byName = new Map<string, AbortController>();
  readonly #countByCaller = new Map<string, number>();

  /** Throws `too_many_requests`. What it gives is to be disposed of when the call is over. */
  begin(request: RequestName, controller: AbortController): Disposable {
    const caller = callerKey(request.caller);
    const count = this.#countByCaller.get(caller) ?? 0;
    if (count >= MCP_CALLS_PER_CALLER_MAX) {
      throw new Problem('too_many_requests', `${count} calls of tools are under way already.`, {
        hint: 'Wait for one of them to end.',
      });
    }
    const name = nameOf(request);
    this.#countByCaller.set(caller, count + 1);
    if (name !== undefined) this.#byName.set(name, controller);
    return {
      [Symbol.dispose]: () => {
        const left = (this.#countByCaller.get(caller) ?? 1) - 1;
        if (left === 0) this.#countByCaller.delete(caller);
        else this.#countByCaller.set(caller, left);
        if (name !== undefined && this.#byName.get(name) === controller) this.#byName.delete(name);
      },
    };
  }

  /** What is over, or never was, is not looked for (MCP 2025-11-25, "Cancellation"). */
  cancel(request: RequestName): void {
    const name = nameOf(request);
    if (name !== undefined) this.#byName.get(name)?.abort();
  }
}

function nameOf({ caller, session, id }: RequestName): string | undefined {
  return session === null ? undefined : JSON.stringify([callerKey(caller), session, id]);
}
