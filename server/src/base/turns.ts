import { TURN_MS, TURNS_GOING_PER_CALLER_MAX, TURNS_WAITING_PER_CALLER_MAX } from './limits.ts';
import { Problem } from './problem.ts';

/** What waits for a turn, by one caller. */
interface Line {
  /** The rest of what has begun; it goes on in turns. */
  readonly begun: (() => void)[];
  readonly entering: (() => void)[];
  /** What was let go last. */
  wasBegun: boolean;
}

/**
 * Turns of the event loop, for work that grows with what there is or with what is asked for. In
 * each turn of the loop there is time for `TURN_MS` of it; what takes longer goes on in a later
 * turn, and so everything else is served in between. Callers take turns, however much each of them
 * wants. A few pieces of a caller's work go on at a time, so that what they hold in memory is
 * bounded; the others wait.
 */
export class Turns {
  /** Whose turn comes next is first. */
  readonly #lines = new Map<string, Line>();
  /** When the turn began; undefined when nobody has asked for one in this turn of the loop. */
  #since: number | undefined;

  /**
   * Whether the turn has taken long enough: `next` should follow. To be asked between small steps.
   */
  get isSpent(): boolean {
    this.#since ??= this.#begin();
    return performance.now() - this.#since >= TURN_MS;
  }

  /**
   * Resolves when work may begin; undefined when it may at once. `caller` is whose it is. Throws
   * `too_many_requests` when too much of theirs waits already.
   */
  enter(caller: string): Promise<void> | undefined {
    if (this.#lines.size === 0 && !this.isSpent) return undefined;
    const line = this.#lineOf(caller);
    if (line.entering.length + line.begun.length >= TURNS_WAITING_PER_CALLER_MAX) {
      throw new Problem(
        'too_many_requests',
        `${TURNS_WAITING_PER_CALLER_MAX} requests of yours wait already.`,
        { hint: 'Wait for the answers to them.', details: { retryAfterSeconds: 1 } },
      );
    }
    return new Promise((resolve) => line.entering.push(resolve));
  }

  /** Resolves in a later turn, when work that has begun may go on. */
  next(caller: string): Promise<void> {
    this.#since ??= this.#begin();
    return new Promise((resolve) => this.#lineOf(caller).begun.push(resolve));
  }

  /** The same, unless there is time left in this turn. */
  async goOn(caller: string): Promise<void> {
    if (this.isSpent) await this.next(caller);
  }

  #lineOf(caller: string): Line {
    let line = this.#lines.get(caller);
    if (line === undefined) {
      line = { begun: [], entering: [], wasBegun: false };
      this.#lines.set(caller, line);
    }
    return line;
  }

  #begin(): number {
    setImmediate(this.#turn);
    return performance.now();
  }

  readonly #turn = (): void => {
    const [first] = this.#lines;
    if (first === undefined) {
      this.#since = undefined;
      return;
    }
    this.#since = this.#begin();
    const [caller, line] = first;
    const resolve = nextOf(line);
    this.#lines.delete(caller);
    if (line.begun.length + line.entering.length > 0) this.#lines.set(caller, line);
    resolve?.();
  };
}

function nextOf(line: Line): (() => void) | undefined {
  const { begun, entering, wasBegun } = line;
  const mayEnter = entering.length > 0 && begun.length < TURNS_GOING_PER_CALLER_MAX;
  line.wasBegun = begun.length > 0 && !(mayEnter && wasBegun);
  return line.wasBegun ? begun.shift() : entering.shift();
}

/** Those of this thread, which has one event loop. */
export const turns = new Turns();
