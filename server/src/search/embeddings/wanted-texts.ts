/** A text whose vector is missing. */
export interface WantedText {
  /** See `embeddingKey`. */
  readonly key: string;
  readonly model: string;
  readonly text: string;
}

/** What the thread that indexes offers to the one that asks the provider. */
export interface WantedTexts {
  /** Up to `max` of one model; waits until there are some. Each is given out once. Rejects with the signal's reason. */
  next(max: number, signal: AbortSignal): Promise<readonly WantedText[]>;
  /** Of texts that were given out and have no vector: `again` gives them out later; the provider does not take what is `refused`. */
  giveBack(keys: readonly string[], as: 'again' | 'refused'): void;
  /** What was refused is given out again: by others it may be taken. */
  retryRefused(): void;
}
