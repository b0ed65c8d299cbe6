import type { Caller } from '#access/caller.ts';

/** Whose code asks, and what may come of it. */
export interface ModelAsker {
  /** Caller of the run: what the run uses is counted for its user. */
  readonly caller: Caller;
  /** Headers of the request that it came with, as JSON text of an object. */
  readonly headers: string;
  readonly authorization: string | undefined;
  /** Nothing may be written. */
  readonly isReadOnly: boolean;
  /** Runs of agents that it comes of, one within the other. */
  readonly agentDepth: number;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/**
 * `ai` of endpoint code: see `Ai` of `@trellis/endpoint`, which says what is taken and given. The
 * requests are what the code made, and may be anything. They reject with `invalid_request`,
 * `ai_needs_user`, `read_only_replica`, and with what models and agents reject with.
 */
export interface ModelCalls {
  complete(request: unknown, asker: ModelAsker): Promise<unknown>;
  embed(request: unknown, asker: ModelAsker): Promise<unknown>;
  runAgent(request: unknown, asker: ModelAsker): Promise<unknown>;
}

/**
 * The vectors of a text for a search by meaning, by model: base64 of little-endian 32-bit floats.
 * `request` is what the code of an endpoint made: `{query, mode, types?, fields?}`. Rejects with
 * `invalid_request`, `embeddings_not_configured`, `embeddings_unavailable`, or the signal's reason.
 */
export type EmbedQuery = (
  request: unknown,
  signal: AbortSignal,
) => Promise<Readonly<Record<string, string>>>;
