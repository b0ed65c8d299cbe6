import { EMBEDDING_SWEEP_BATCH, VECTOR_BATCH_NODES_MAX } from '#base/search-limits.ts';
import type { GraphReader, TypeWalk } from '#graph/reader.ts';
import { EMBEDDING_TYPE } from '../../embeddings/embedding-record.ts';

export interface SweepParts {
  readonly reader: GraphReader;
  /** Milliseconds since the Unix epoch: what came later is not looked at. */
  readonly startedAtMs: number;
  /** Names of the types whose texts have vectors. */
  readonly types: readonly string[];
  /** The keys of the vectors that a node's texts have or will have. */
  readonly keysOf: (node: number) => Iterable<string>;
  readonly onUnused: OnUnused;
}

/** Called with keys that no text has any more, some at a time; with the last of them it is over. */
export type OnUnused = (keys: readonly string[], isOver: boolean) => void;

/**
 * Finds embeddings whose texts are gone: first it marks those of all texts that there are, then it looks for others. Texts that
 * are indexed meanwhile are marked by \`use\`. It goes in steps, while commits come in between.
 */
export class EmbeddingSweep {
  readonly #parts: SweepParts;
  readonly #used = new Set<number>();
  #walks: TypeWalk[];
  readonly #embeddings: TypeWalk;

  constructor(parts: SweepParts) {
    this.#parts = parts;
    const { reader, types } = parts;
    this.#walks = types.map((type) => reader.walkType(type));
    this.#embeddings = reader.walkType(EMBEDDING_TYPE);
  }

  use(key: string): void {
    const id = this.#parts.reader.id({ type: EMBEDDING_TYPE, key });
    if (id !== undefined) this.#used.add(id);
  }

  /** False when it is over. */
  step(): boolean {
    const [walk] = this.#walks;
    if (walk === undefined) return this.#look();
    const nodes = walk.next(VECTOR_BATCH_NODES_MAX);
    for (const node of nodes) for (const key of this.#parts.keysOf(node)) this.use(key);
    if (nodes.length < VECTOR_BATCH_NODES_MAX) this.#walks = this.#walks.slice(1);
    return true;
  }

  #look(): boolean {
    const { reader, startedAtMs, onUnused } = this.#parts;
    const ids = this.#embeddings.next(EMBEDDING_SWEEP_BATCH);
    const unused = ids.filter((id) => {
      const timestamp = reader.field(id, 'Timestamp');
      return !this.#used.has(id) && Date.parse(String(timestamp)) < startedAtMs;
    });
    const isOver = ids.length < EMBEDDING_SWEEP_BATCH;
    const keys = unused.map((id) => String(reader.field(id, 'Id')));
    if (isOver || keys.length > 0) onUnused(keys, isOver);
    return !isOver;
  }
}
