/** A fact that was given to a model. */
export interface Snippet {
  /** From 1, as `[1]` in an answer. */
  readonly id: number;
  /** The node that it comes from. */
  readonly uid: string;
  readonly text: string;
}

/**
 * The facts given to a model in one conversation, numbered in the order of fetching. The same text
 * of the same node keeps its number.
 */
export class Snippets {
  readonly #byNumber = new Map<number, Snippet>();
  readonly #numbers = new Map<string, number>();
  #last = 0;

  /** Continues the numbers of the facts that were cited before. */
  constructor(cited: Iterable<Snippet> = []) {
    for (const snippet of cited) this.#keep(snippet);
  }

  add(uid: string, text: string): Snippet {
    const known = this.#byNumber.get(this.#numbers.get(keyOf(uid, text)) ?? 0);
    if (known !== undefined) return known;
    const snippet = { id: this.#last + 1, uid, text };
    this.#keep(snippet);
    return snippet;
  }

  /** All facts, in the order of fetching. */
  get all(): readonly Snippet[] {
    return [...this.#byNumber.values()];
  }

  /** The facts that an answer cites, each once, ordered by number. */
  citedIn(answer: string): Snippet[] {
    const named = new Set([...answer.matchAll(CITATION)].map(([, digits]) => Number(digits)));
    return [...named]
      .toSorted((a, b) => a - b)
      .map((id) => this.#byNumber.get(id))
      .filter((snippet) => snippet !== undefined);
  }

  #keep(snippet: Snippet): void {
    this.#byNumber.set(snippet.id, snippet);
    this.#numbers.set(keyOf(snippet.uid, snippet.text), snippet.id);
    this.#last = Math.max(this.#last, snippet.id);
  }
}

const CITATION = /\[(\d{1,6})\]/g;

function keyOf(uid: string, text: string): string {
  return `${uid} ${text}`;
}
