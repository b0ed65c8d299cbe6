import type { Clock } from '#base/clock.ts';
import type { GraphReader, TypeWalk } from '#graph/reader.ts';
import type { RebuildState } from './search-snapshot.ts';

interface TypeRebuild {
  readonly name: string;
  readonly walk: TypeWalk;
  /** Nodes of the type when it began. */
  readonly total: number;
  /** Nodes that were handed out, and those of them that are done. */
  taken: number;
  done: number;
  isWalked: boolean;
}

/** Nodes of one type that were handed out. */
export interface RebuildRange {
  readonly nodes: readonly number[];
  readonly type: TypeRebuild;
}

/**
 * The types whose nodes are to be indexed anew, one after the other. Nodes are handed out in ranges; a type is done when all of
 * its ranges are.
 */
export class Rebuild {
  readonly #reader: GraphReader;
  readonly #clock: Clock;
  #types: TypeRebuild[] = [];
  #returned: RebuildRange[] = [];
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

  /** How many nodes are not handed out; 0 when none are. */
  get left(): number {
    const walked = this.#types.map(({ isWalked, total, taken }) =>
      // Nodes may have come since.
      isWalked ? 0 : Math.max(1, total - taken),
    );
    const returned = this.#returned.map(({ nodes }) => nodes.length);
    return [...walked, ...returned].reduce((sum, count) => sum + count, 0);
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
    this.#returned = this.#returned.filter(({ type }) => type !== before);
    const walk = this.#reader.walkType(name);
    this.#types.push({ name, walk, total, taken: 0, done: 0, isWalked: false });
  }

  /** Up to so many of the next nodes; none when all are handed out. */
  take(count: number): RebuildRange[] {
    const ranges: RebuildRange[] = [];
    let left = count;
    while (left > 0) {
      const range = this.#returned.pop() ?? this.#walk(left);
      if (range === undefined) break;
      ranges.push(range);
      left -= range.nodes.length;
    }
    return ranges;
  }

  /** Whether the type of a range is still to be made as it was when the range was handed out. */
  isWanted({ type }: RebuildRange): boolean {
    return this.#types.includes(type);
  }

  /** So many more nodes of a range are done. */
  finish(range: RebuildRange, count: number): void {
    if (!this.isWanted(range)) return;
    range.type.done += count;
    this.#done += count;
    this.#drop(range.type);
  }

  /** Nodes of a range that nobody will do. */
  giveBack(range: RebuildRange, nodes: readonly number[]): void {
    if (this.isWanted(range)) this.#returned.push({ type: range.type, nodes });
  }

  /** Visits up to so many of the next nodes, which are done then. */
  visit(count: number, visit: (node: number) => void): void {
    for (const range of this.take(count)) {
      for (const node of range.nodes) visit(node);
      this.finish(range, range.nodes.length);
    }
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

  /** Nodes of the first type that has any left; types without any are done. */
  #walk(count: number): RebuildRange | undefined {
    for (const type of this.#types) {
      if (type.isWalked) continue;
      const nodes = type.walk.next(count);
      type.taken += nodes.length;
      type.isWalked = nodes.length < count;
      if (nodes.length > 0) return { type, nodes };
      this.#drop(type);
    }
    return undefined;
  }

  /** A type whose nodes are all done. */
  #drop(type: TypeRebuild): void {
    if (!type.isWalked || type.done < type.taken) return;
    this.#types = this.#types.filter((other) => other !== type);
  }
}
