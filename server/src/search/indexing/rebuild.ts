import type { Clock } from '#base/clock.ts';
import type { GraphReader, TypeWalk } from '#graph/reader.ts';
import type { RebuildState } from './search-snapshot.ts';

interface TypeRebuild {
  readonly name: string;
  readonly walk: TypeWalk;
  done: number;
  /** Nodes of the type when it began. */
  readonly total: number;
}

/** The types whose nodes are to be indexed anew, one after the other. */
export class Rebuild {
  readonly #reader: GraphReader;
  readonly #clock: Clock;
  #types: TypeRebuild[] = [];
  #done = 0;
  #total = 0;
  #startedAt = 0;

  constructor(reader: GraphReader, clock: Clock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  get isDone(): boolean {
    return this.#types.length === 0;
  }

  /** Of the types that are not done. */
  get names(): readonly string[] {
    return this.#types.map(({ name }) => name);
  }

  /** A type that was begun already begins again. */
  add(name: string): void {
    if (this.isDone) {
      this.#startedAt = this.#clock.now();
      this.#done = 0;
      this.#total = 0;
    }
    const before = this.#types.find((type) => type.name === name);
    if (before !== undefined) this.#total -= before.total - before.done;
    const total = this.#reader.countOfType(name);
    this.#total += total;
    this.#types = this.#types.filter((type) => type !== before);
    this.#types.push({ name, walk: this.#reader.walkType(name), done: 0, total });
  }

  /** The next nodes; none when nothing is left. */
  next(take: number): number[] {
    while (this.#types.length > 0) {
      const [type] = this.#types;
      const ids = type?.walk.next(take) ?? [];
      if (type !== undefined) type.done += ids.length;
      this.#done += ids.length;
      if (ids.length < take) this.#types.shift();
      if (ids.length > 0) return ids;
    }
    return [];
  }

  state(): RebuildState | null {
    if (this.isDone) return null;
    return {
      types: this.names,
      done: this.#done,
      // Nodes may have come since.
      total: Math.max(this.#total, this.#done),
      startedAt: new Date(this.#startedAt).toISOString(),
    };
  }
}
