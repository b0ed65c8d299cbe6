import { embeddingKey } from '../../embeddings/embedding-record.ts';
import type { WantedText } from '../../embeddings/embed-texts.ts';

/** Where a text stands whose vector is missing. */
interface Waiting {
  readonly model: string;
  readonly nodes: Set<number>;
  isRefused: boolean;
}

/** Of texts that are looked through for those of one model. */
const LOOKED_AT_PER_TEXT = 20;

/** The chunks of text whose vectors are missing, and the nodes that they stand in. The texts themselves stay in the graph. */
export class WaitingTexts {
  readonly #waiting = new Map<string, Waiting>();
  /** Of those, what is to be given out, in this order. */
  readonly #wanted = new Set<string>();
  readonly #keysOf = new Map<number, Set<string>>();
  #refused = 0;

  get hasWanted(): boolean {
    return this.#wanted.size > 0;
  }

  /** That wait. */
  nodes(): readonly number[] {
    return [...this.#keysOf.keys()];
  }

  /** Those that the provider does not take are not waited for. */
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

  /** The node waits for nothing any more. */
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

  /**
   * Up to `max` of one model, to be embedded. `textsOf` are the texts that a node has now: it may have changed, and then will be
   * indexed again.
   */
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
