import { Problem } from '#base/problem.ts';
import type { Caller } from './caller.ts';

/** Something that goes on for a caller and has to end with their rights. */
export interface RunningWork {
  /**
   * Told at each look, as long as it is registered: `invalid_token` when the token is revoked or
   * has run out, the session is over or the user is not active any more; `forbidden` when the
   * caller has lost a right that they began with.
   */
  end(problem: Problem): void;
}

export interface LiveCallers {
  /**
   * The caller as they are now: the same object as long as nothing about them has changed. Throws
   * `invalid_token`.
   */
  again(caller: Caller): Caller;
}

/**
 * The work that runs on this server, by its caller. Work that takes longer than one answer
 * registers here. Call `look` every `CALLER_LOOK_INTERVAL_MS`. It reads the state that this server
 * has applied, so it is the same on replicas.
 */
export class RunningCallers {
  readonly #live: LiveCallers;
  readonly #running = new Map<Caller, Set<RunningWork>>();

  constructor(live: LiveCallers) {
    this.#live = live;
  }

  /** To be removed when it is over. */
  add(caller: Caller, work: RunningWork): void {
    const own = this.#running.get(caller);
    if (own === undefined) this.#running.set(caller, new Set([work]));
    else own.add(work);
  }

  remove(caller: Caller, work: RunningWork): void {
    const own = this.#running.get(caller);
    if (own?.delete(work) === true && own.size === 0) this.#running.delete(caller);
  }

  /** The same with a signal, which aborts with the problem. */
  watch(caller: Caller): Disposable & { readonly signal: AbortSignal } {
    const controller = new AbortController();
    const work = { end: (problem: Problem) => controller.abort(problem) };
    this.add(caller, work);
    return {
      signal: controller.signal,
      [Symbol.dispose]: () => this.remove(caller, work),
    };
  }

  /** Looks the caller up again. Throws the problem that ends what they have begun. */
  check(caller: Caller): void {
    const now = this.#live.again(caller);
    if (now === caller || !hasLess(now, caller)) return;
    throw new Problem('forbidden', 'The rights with which this was begun have been taken away.', {
      hint: 'Begin it again with the rights that there are.',
    });
  }

  /** The caller with the rights that they have now. Throws `invalid_token`. */
  current(caller: Caller): Caller {
    return this.#live.again(caller);
  }

  /** Ends what goes on without the rights that it began with. */
  look(): void {
    for (const [caller, own] of this.#running) {
      const problem = this.#problemOf(caller);
      if (problem !== undefined) for (const work of own) work.end(problem);
    }
  }

  #problemOf(caller: Caller): Problem | undefined {
    try {
      this.check(caller);
      return undefined;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }
}

/** Whether a caller may do less than before. More takes effect with what they begin next. */
function hasLess(now: Caller, before: Caller): boolean {
  const saw = before.isAdmin || before.isReadOnlyAdmin;
  return (
    (before.isAdmin && !now.isAdmin) ||
    (saw && !now.isAdmin && !now.isReadOnlyAdmin) ||
    (!before.isReadOnlyAdmin && now.isReadOnlyAdmin && before.isAdmin) ||
    (!before.isGuest && now.isGuest) ||
    before.roles.some((role) => !now.roles.includes(role))
  );
}
