import { TURN_MS, TURNS_GOING_PER_CALLER_MAX, TURNS_WAITING_PER_CALLER_MAX } from './limits.ts';
import { Problem } from './problem.ts';

/** The work of one caller that waits for a turn. */
interface Line {
  /** Work that has begun, and continues in turns. */
  readonly begun: (() => void)[];
  readonly entering: (() => void)[];
  /** Whether the last turn went to work that had begun. */
  wasBegun: boolean;
}

/**
 * Turns of the event loop, for work that grows with the graph or with the request. Each turn of the
 * loop has `TURN_MS` for it. Longer work continues in a later turn, so that everything else is
 * served in between. Callers take turns, however much work each has. Only a few pieces of work of
 * one caller go on at a time, so that they hold little memory; the others wait.
 */
export class Turns {
  /** The first caller gets the next turn. */
  readonly #lines = new Map<string, Line>();
  /** When this turn began; undefined when nobody has asked in this turn of the loop. */
  #since: number | undefined;

  /**
   * Whether the time of this turn is used up, and `next` should follow. Ask between small steps.
   */
  get isSpent(): boolean {
    this.#since ??= this.#begin();
    return performance.now() - this.#since >= TURN_MS;
  }

  /**
   * Resolves when work of the caller may begin; undefined when it may begin at once. Throws
   * `too_many_requests` when too much of their work waits already.
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

  /** Resolves in a later turn, when work that has begun may continue. */
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

/** The turns of this thread, which has one event loop. */
export const turns = new Turns();
