/** The vectors of short texts such as queries: a provider gives them, and they are kept for a while. */
export interface TextVectors {
  /** Of length 1. Rejects with `embeddings_not_configured`, `embeddings_unavailable`, or the signal's reason. */
  of(text: string, model: string, signal: AbortSignal): Promise<Float32Array>;
}
