import type { GraphReader } from '#graph/reader.ts';

const USERS_MAX = 1_000;

/** JSON texts of the user nodes that callers act as: read again only when the node has changed. */
export class UserTexts {
  readonly #reader: GraphReader;
  readonly #texts = new Map<
    string,
    { readonly id: number; readonly version: number; readonly text: string }
  >();

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /** `null`, as JSON, without a user. */
  textOf(uid: string | null): string {
    const id = uid === null ? undefined : this.#reader.id({ uid });
    const version = id === undefined ? undefined : this.#reader.version(id);
    if (uid === null || id === undefined || version === undefined) return 'null';
    const known = this.#texts.get(uid);
    if (known?.id === id && known.version === version) return known.text;
    if (this.#texts.size >= USERS_MAX) this.#texts.clear();
    const text = JSON.stringify(this.#reader.node(id) ?? null);
    this.#texts.set(uid, { id, version, text });
    return text;
  }
}
