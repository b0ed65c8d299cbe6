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
