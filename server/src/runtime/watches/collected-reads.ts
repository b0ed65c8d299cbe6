import type { ReadKeys } from '#graph/transactions/read-set.ts';
import { ANY_NODE, ANY_WRITE } from '#graph/transactions/read-index.ts';
import { WATCH_POINTS_MAX, WATCH_RANGES_MAX } from '#base/watch-limits.ts';
import type { WatchedRun } from './watched-run.ts';

/** Beside those that are counted: types in place of nodes. */
const POINTS_MAX = 8 * WATCH_POINTS_MAX;
const NAME_CHARACTERS_MAX = 4_096;

/** Collects what a run that is watched has read, to know what wakes it. */
export class CollectedReads implements WatchedRun {
  readonly #endpoints = new Set<string>();
  #hasSearched = false;
  #reads: ReadKeys | undefined;
  /** The commit that was read; undefined when nobody has told. */
  sequence: number | undefined;

  read(sequence: number, reads: string): void {
    this.#reads = readKeysIn(reads);
    this.sequence = Number.isSafeInteger(sequence) && sequence >= 0 ? sequence : undefined;
  }

  searched(): void {
    this.#hasSearched = true;
  }

  asked(endpoint: string): void {
    this.#endpoints.add(endpoint);
  }

  get hasSearched(): boolean {
    return this.#hasSearched;
  }

  /** The endpoint itself, and those that it ran. */
  get endpoints(): ReadonlySet<string> {
    return this.#endpoints;
  }

  /** Whether it is known what was read. */
  get isKnown(): boolean {
    return this.#reads !== undefined && this.sequence !== undefined;
  }

  /** With more points, of what was read elsewhere. Every commit wakes those that are not known. */
  keys(more: readonly string[]): ReadKeys {
    if (this.#reads === undefined || this.sequence === undefined) {
      return { points: [ANY_WRITE], ranges: [] };
    }
    const { points, ranges } = this.#reads;
    const searched = this.#hasSearched ? [ANY_NODE, 'O', 'I', 'A'] : [];
    return { points: [...points, ...more, ...searched], ranges };
  }
}

/** Undefined when they are none, as only a worker that was taken over says. */
function readKeysIn(json: string): ReadKeys | undefined {
  const { points, ranges } = Object(JSON.parse(json)) as Record<string, unknown>;
  if (!Array.isArray(points) || points.length > POINTS_MAX || !points.every(isName)) {
    return undefined;
  }
  if (!Array.isArray(ranges) || ranges.length > WATCH_RANGES_MAX || !ranges.every(isRange)) {
    return undefined;
  }
  return { points, ranges };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= NAME_CHARACTERS_MAX;
}

function isRange(value: unknown): value is readonly [string, string, string] {
  return Array.isArray(value) && value.length === 3 && value.every(isName);
}
