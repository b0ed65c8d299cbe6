/** The provider of embeddings, as search needs it. */
export interface EmbedTexts {
  /** Whether there is one. It may fail all the same. */
  isConfigured(): boolean;
  /** In the order of the texts, each of length 1. Rejects with `EmbeddingFailure`, or the signal's reason. */
  embed(texts: readonly string[], model: string, signal: AbortSignal): Promise<Float32Array[]>;
}

/**
 * `refused`: the provider takes other texts, or fewer at a time. `misconfigured`: it takes none before somebody changes address,
 * key or model. `busy`: it does not answer for now.
 */
export type EmbeddingFailureReason = 'not-configured' | 'refused' | 'misconfigured' | 'busy';

/** Its message is for administrators: it may have the words of the provider, and never a key. */
export class EmbeddingFailure extends Error {
  override readonly name = 'EmbeddingFailure';
  readonly reason: EmbeddingFailureReason;
  /** As the provider asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: EmbeddingFailureReason,
    message: string,
    { retryAfterMs, cause }: { readonly retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The vectors of short texts such as queries: a provider gives them, and they are kept for a while. */
export interface TextVectors {
  /**
   * A vector of length 1. Rejects with `embeddings_not_configured`, `embeddings_unavailable`,
   * or the signal's reason.
   */
  of(text: string, model: string, signal: AbortSignal): Promise<Float32Array>;
}

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
  /**
   * Gives back texts that have no vector: `again` gives them out later; the provider does not
   * take what is `refused`.
   */
  giveBack(keys: readonly string[], as: 'again' | 'refused'): void;
  /** What was refused is given out again: by others it may be taken. */
  retryRefused(): void;
}
