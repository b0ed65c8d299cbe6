import { EMBEDDING_TYPE, embeddingKey } from '../../embeddings/embedding-record.ts';
import type { WantedText } from '../../embeddings/embed-texts.ts';
import { EMBEDDING_SWEEP_BATCH, VECTOR_BATCH_NODES_MAX } from '#base/search-limits.ts';
import type { GraphReader, TypeWalk } from '#graph/reader.ts';

/** A text without a vector, and the nodes with it. */
interface Waiting {
  readonly model: string;
  readonly nodes: Set<number>;
  isRefused: boolean;
}

/** How many waiting texts `next` may look at for each text that it may return. */
const LOOKED_AT_PER_TEXT = 20;

/** Chunks of text without a vector, and the nodes with them. The texts stay in the graph. */
export class WaitingTexts {
  readonly #waiting = new Map<string, Waiting>();
  /** Keys of `#waiting` that `next` hands out, in this order. */
  readonly #wanted = new Set<string>();
  readonly #keysOf = new Map<number, Set<string>>();
  #refused = 0;

  get hasWanted(): boolean {
    return this.#wanted.size > 0;
  }

  /** The nodes that wait. */
  nodes(): readonly number[] {
    return [...this.#keysOf.keys()];
  }

  /** `waiting` leaves out the texts that the provider refused. */
  get count(): { readonly waiting: number; readonly refused: number } {
    const refused = this.#refused;
    return { waiting: this.#waiting.size - refused, refused };
  }

  add(key: string, model: string, node: number): void {
    const keys = this.#keysOf.get(node);
    if (keys === undefined) this.#keysOf.set(node, new Set([key]));
    else keys.add(key);
    const known = this.#waiting.get(key);
    if (known !== undefined) {
      known.nodes.add(node);
      return;
    }
    this.#waiting.set(key, { model, nodes: new Set([node]), isRefused: false });
    this.#wanted.add(key);
  }

  /** The node no longer waits for anything. */
  release(node: number): void {
    const keys = this.#keysOf.get(node);
    if (keys === undefined) return;
    this.#keysOf.delete(node);
    for (const key of keys) {
      const nodes = this.#waiting.get(key)?.nodes;
      nodes?.delete(node);
      if (nodes?.size === 0) this.#forget(key);
    }
  }

  /** Nodes in which the text stands. */
  nodesWith(key: string): readonly number[] {
    return [...(this.#waiting.get(key)?.nodes ?? [])];
  }

  /** Up to `max` texts of one model to embed. `textsOf` gives the texts that a node has now. */
  next(max: number, textsOf: (node: number, model: string) => Iterable<string>): WantedText[] {
    const texts: WantedText[] = [];
    let wanted: string | undefined;
    let looks = max * LOOKED_AT_PER_TEXT;
    for (const key of this.#wanted) {
      if (texts.length === max || looks-- === 0) break;
      const { model, nodes } = this.#waiting.get(key)!;
      if (wanted !== undefined && model !== wanted) continue;
      const text = findText(key, model, nodes, textsOf);
      this.#wanted.delete(key);
      if (text === undefined) continue;
      wanted = model;
      texts.push({ key, model, text });
    }
    return texts;
  }

  giveBack(keys: readonly string[], as: 'again' | 'refused'): void {
    for (const key of keys) {
      const waiting = this.#waiting.get(key);
      if (waiting === undefined) continue;
      if (as === 'again') {
        this.#wanted.add(key);
      } else if (!waiting.isRefused) {
        waiting.isRefused = true;
        this.#refused++;
      }
    }
  }

  retryRefused(): void {
    for (const [key, waiting] of this.#waiting) {
      if (!waiting.isRefused) continue;
      waiting.isRefused = false;
      this.#wanted.add(key);
    }
    this.#refused = 0;
  }

  #forget(key: string): void {
    if (this.#waiting.get(key)?.isRefused === true) this.#refused--;
    this.#waiting.delete(key);
    this.#wanted.delete(key);
  }
}

function findText(
  key: string,
  model: string,
  nodes: ReadonlySet<number>,
  textsOf: (node: number, model: string) => Iterable<string>,
): string | undefined {
  for (const node of nodes) {
    for (const text of textsOf(node, model)) if (embeddingKey(model, text) === key) return text;
  }
  return undefined;
}

interface SweepParts {
  readonly reader: GraphReader;
  /** Milliseconds since the Unix epoch; newer embeddings are skipped. */
  readonly startedAtMs: number;
  /** Names of the types whose texts have vectors. */
  readonly types: readonly string[];
  /** The keys of the vectors that a node's texts have or will have. */
  readonly keysOf: (node: number) => Iterable<string>;
  readonly onUnused: OnUnused;
}

/** Called with some keys that no text has any more; `isOver` with the last of them. */
export type OnUnused = (keys: readonly string[], isOver: boolean) => void;

/**
 * Finds embeddings whose texts are gone: it marks those of all texts, then looks for the others.
 * `use` marks texts indexed meanwhile. It works in steps, with commits in between.
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
