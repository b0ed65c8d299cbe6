import {
  ENDPOINT_CACHED_ANSWER_CHARACTERS_MAX,
  ENDPOINT_CACHED_ANSWERS_MAX,
  ENDPOINT_CACHED_CHARACTERS_MAX,
} from '#base/limits.ts';

/** A good answer of an endpoint. */
export interface CachedAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly json: string;
}

export interface CacheHit {
  readonly answer: CachedAnswer;
  readonly ageSeconds: number;
  /** Of the state that the answer reflects. */
  readonly sequence: number;
}

interface Entry {
  readonly answer: CachedAnswer;
  readonly storedAt: number;
  readonly until: number;
  readonly sequence: number;
}

/**
 * Answers that may be given again (`cacheSeconds`), in the memory of this process. What is asked for
 * is named by `requestKey`. The oldest go first when there is no room; all of them go when anybody's
 * access has changed.
 */
export class ResultCache {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;
  readonly #charactersMax: number;
  #characters = 0;
  #accessEpoch = -1;

  /** `now` is in milliseconds. */
  constructor(now: () => number, charactersMax = ENDPOINT_CACHED_CHARACTERS_MAX) {
    this.#now = now;
    this.#charactersMax = charactersMax;
  }

  /** An answer that is not too old and reflects at least `minSequence`. */
  find(key: string, accessEpoch: number, minSequence: number): CacheHit | undefined {
    this.#follow(accessEpoch);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const now = this.#now();
    if (now >= entry.until) {
      this.#delete(key, entry);
      return undefined;
    }
    if (entry.sequence < minSequence) return undefined;
    const { answer, storedAt, sequence } = entry;
    return { answer, sequence, ageSeconds: Math.floor((now - storedAt) / 1_000) };
  }

  put(
    key: string,
    answer: CachedAnswer,
    { seconds, sequence }: { readonly seconds: number; readonly sequence: number },
  ): void {
    if (answer.json.length > ENDPOINT_CACHED_ANSWER_CHARACTERS_MAX) return;
    const before = this.#entries.get(key);
    if (before !== undefined) this.#delete(key, before);
    const storedAt = this.#now();
    this.#entries.set(key, { answer, storedAt, until: storedAt + seconds * 1_000, sequence });
    this.#characters += answer.json.length;
    this.#makeRoom();
  }

  #follow(accessEpoch: number): void {
    if (accessEpoch === this.#accessEpoch) return;
    this.#accessEpoch = accessEpoch;
    this.#entries.clear();
    this.#characters = 0;
  }

  #makeRoom(): void {
    for (const [key, entry] of this.#entries) {
      const isFull =
        this.#characters > this.#charactersMax || this.#entries.size > ENDPOINT_CACHED_ANSWERS_MAX;
      if (!isFull && this.#now() < entry.until) return;
      this.#delete(key, entry);
    }
  }

  #delete(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#characters -= entry.answer.json.length;
  }
}
