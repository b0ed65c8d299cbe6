import { SEARCH_CALLERS_KNOWN_MAX, SEARCH_HEAVY_MS } from '#base/sandbox-limits.ts';
import type { AskedSearch } from './search-thread.ts';

/** What the last search counts of how long those of a caller take. */
const WEIGHT = 0.3;

/** Searches that wait for a thread: callers take turns, however much each of them asks for. */
export class SearchLines {
  /** By caller; whose turn comes next is first. */
  readonly #lines = new Map<string, AskedSearch[]>();
  /** By caller: how long a search takes, in milliseconds. The newest is last. */
  readonly #costs = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** Of one caller. */
  waiting(caller: string): number {
    return this.#lines.get(caller)?.length ?? 0;
  }

  push(search: AskedSearch): void {
    this.#lineOf(search).push(search);
  }

  /** Before what its caller asked later. */
  putBack(search: AskedSearch): void {
    this.#lineOf(search).unshift(search);
  }

  /** Gives each caller's next search to `begin` in turn, until it takes none of them. */
  advance(begin: (search: AskedSearch) => boolean): void {
    // One that goes back to the end of the line is seen again.
    for (const [caller, line] of this.#lines) {
      const [search] = line;
      if (search === undefined || !begin(search)) continue;
      line.shift();
      this.#lines.delete(caller);
      if (line.length > 0) this.#lines.set(caller, line);
    }
  }

  /** Lets go of those that nobody waits for any more, and tells them so. */
  drop(reasonFor: (search: AskedSearch) => unknown): void {
    for (const [caller, line] of this.#lines) {
      const left = line.filter((search) => {
        const reason = reasonFor(search);
        if (reason !== undefined) search.reject(reason);
        return reason === undefined;
      });
      if (left.length > 0) this.#lines.set(caller, left);
      else this.#lines.delete(caller);
    }
  }

  /** A search took so long. */
  note({ budget }: AskedSearch, ms: number): void {
    const before = this.#costs.get(budget) ?? ms;
    this.#costs.delete(budget);
    this.#costs.set(budget, before + (ms - before) * WEIGHT);
    const [oldest] = this.#costs.keys();
    if (this.#costs.size > SEARCH_CALLERS_KNOWN_MAX) this.#costs.delete(oldest ?? '');
  }

  /** Whether the searches of a caller take so long that others would wait for them. */
  isHeavy(caller: string): boolean {
    return (this.#costs.get(caller) ?? 0) >= SEARCH_HEAVY_MS;
  }

  #lineOf({ budget }: AskedSearch): AskedSearch[] {
    let line = this.#lines.get(budget);
    if (line === undefined) {
      line = [];
      this.#lines.set(budget, line);
    }
    return line;
  }
}
