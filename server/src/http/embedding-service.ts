import type { Caller } from '#access/caller.ts';
import type { NodeEmbedding, SimilarNodes } from '@trellis/contract/shapes/embedding.ts';

/** What the caller may not see or read is nowhere in what these answer. */
export interface EmbeddingService {
  /** In the order of the UIDs. Throws `invalid_request` when they are too many for one answer. */
  of(
    caller: Caller,
    wanted: { readonly uids: readonly string[]; readonly field?: string | undefined },
  ): Promise<readonly NodeEmbedding[]>;
  /** The best first. Throws `node_not_found`, `invalid_request` for a type that there is not. */
  similar(
    caller: Caller,
    uid: string,
    wanted: { readonly count: number; readonly types?: readonly string[] | undefined },
  ): Promise<SimilarNodes['items']>;
}
