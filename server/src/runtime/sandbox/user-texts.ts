import type { GraphReader } from '#graph/reader.ts';

const USERS_MAX = 1_000;

/**
 * JSON texts of the user nodes that callers act as: looked at again only after a commit, and read
 * again only when the node has changed.
 */
export class UserTexts {
  readonly #reader: GraphReader;
  readonly #texts = new Map<string, UserText>();

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /**
   * `null`, as JSON, without a user. What is known at this sequence, which the reader has reached,
   * is good.
   */
  textOf(uid: string | null, sequence: number): string {
    if (uid === null) return 'null';
    const known = this.#texts.get(uid);
    if (known?.sequence === sequence) return known.text;
    const id = this.#reader.id({ uid });
    const version = id === undefined ? undefined : this.#reader.version(id);
    if (id === undefined || version === undefined) return 'null';
    if (known?.id === id && known.version === version) {
      known.sequence = sequence;
      return known.text;
    }
    if (this.#texts.size >= USERS_MAX) this.#texts.clear();
    const text = JSON.stringify(this.#reader.node(id) ?? null);
    this.#texts.set(uid, { id, version, text, sequence });
    return text;
  }
}

interface UserText {
  readonly id: number;
  readonly version: number;
  readonly text: string;
  /** Sequence of the last comparison with the state. */
  sequence: number;
}
