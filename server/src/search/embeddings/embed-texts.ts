/** The provider of embeddings, as search needs it. */
export interface EmbedTexts {
  /** Whether there is a provider. It may still fail. */
  isConfigured(): boolean;
  /**
   * Vectors of length 1, in the order of the texts. Rejects with `EmbeddingFailure` or the signal's
   * reason.
   */
  embed(texts: readonly string[], model: string, signal: AbortSignal): Promise<Float32Array[]>;
}

/**
 * - `refused`: the provider takes other texts, or fewer at a time.
 * - `misconfigured`: it takes none until the address, key or model changes.
 * - `busy`: it does not answer for now.
 */
export type EmbeddingFailureReason = 'not-configured' | 'refused' | 'misconfigured' | 'busy';

/** The message is for administrators: it may quote the provider, never a key. */
export class EmbeddingFailure extends Error {
  override readonly name = 'EmbeddingFailure';
  readonly reason: EmbeddingFailureReason;
  /** How long the provider asks to wait. */
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

/** Vectors of short texts such as queries, from a provider, cached for a while. */
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

/** How the thread that asks the provider gets texts from the index thread. */
export interface WantedTexts {
  /**
   * Up to `max` texts of one model, each handed out once; waits until there is one. Rejects with
   * the signal's reason.
   */
  next(max: number, signal: AbortSignal): Promise<readonly WantedText[]>;
  /** Returns texts without a vector: `again` hands them out later, `refused` never. */
  giveBack(keys: readonly string[], as: 'again' | 'refused'): void;
  /** Hands refused texts out again: another provider may take them. */
  retryRefused(): void;
}
