import type { SearchIndexState } from '@trellis/contract/shapes/search.ts';
import type { IndexPlan } from '../settings/index-plan.ts';
import type { SharedView } from '../text/index-view.ts';
import type { ConnectionPages } from './connections.ts';
import type { VectorFieldSnapshot } from './vectors/vector-field.ts';

/** What can be found at one moment, as the thread that indexes posts it to those that search. */
export interface SearchSnapshot {
  /** Changes when former snapshots held much memory: each thread then collects its garbage. */
  readonly released: number;
  readonly state: IndexState;
  readonly plan: IndexPlan;
  readonly view: SharedView;
  readonly vectors: readonly VectorFieldSnapshot[];
  readonly connections: ConnectionPages;
}

export type IndexState = Omit<SearchIndexState, 'embedder'>;
export type VectorFieldState = IndexState['vectors'][number];
export type RebuildState = NonNullable<IndexState['rebuild']>;

/**
 * Counts shared memory that views released. V8 does not count it and frees it only after all
 * threads have collected garbage, which idle threads never do by themselves: they must be told.
 */
export class ReleasedMemory {
  readonly #bytesMax: number;
  #held = new Map<string, number>();
  #bytes = 0;
  #round = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Replaces the view. Returns another number when garbage should be collected. */
  replace({ parts }: SharedView): number {
    const held = new Map(
      parts.map(({ id, isInFile, memory }) => [`${id} ${isInFile}`, memory.byteLength]),
    );
    for (const [key, bytes] of this.#held) if (!held.has(key)) this.#bytes += bytes;
    this.#held = held;
    if (this.#bytes > this.#bytesMax) {
      this.#bytes = 0;
      this.#round++;
    }
    return this.#round;
  }
}
