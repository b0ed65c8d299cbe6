/** What analysis made of a word. */
export interface AnalysedWord {
  readonly surface: string;
  readonly term: string;
  /** The term of its surface, where that is another one. */
  readonly surfaceTerm: string | undefined;
}

/**
 * Words seen lately, by how they stand in the text. When the young generation is full it becomes the old one, which is forgotten. A
 * word takes about 200 bytes, in each generation.
 */
export class WordCache {
  readonly #generationWordsMax: number;
  #young = new Map<string, AnalysedWord>();
  #old = new Map<string, AnalysedWord>();

  constructor(generationWordsMax: number) {
    this.#generationWordsMax = generationWordsMax;
  }

  get(word: string): AnalysedWord | undefined {
    const found = this.#young.get(word);
    if (found !== undefined) return found;
    const older = this.#old.get(word);
    if (older !== undefined) this.#add(word, older);
    return older;
  }

  set(word: string, analysed: AnalysedWord): void {
    // A part of a text keeps the whole text in memory: what is kept is a copy.
    this.#add(copyOf(word), {
      surface: copyOf(analysed.surface),
      term: copyOf(analysed.term),
      surfaceTerm: analysed.surfaceTerm === undefined ? undefined : copyOf(analysed.surfaceTerm),
    });
  }

  #add(word: string, analysed: AnalysedWord): void {
    if (this.#young.size >= this.#generationWordsMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(word, analysed);
  }
}

function copyOf(word: string): string {
  // Below 13 characters V8 copies of itself.
  return word.length < 13 ? word : ` ${word}`.slice(1);
}
