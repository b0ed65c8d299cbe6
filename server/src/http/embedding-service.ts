import type { Caller } from '#access/caller.ts';
import type { NodeEmbedding } from '@trellis/contract/shapes/embedding.ts';
import type { Disconnect } from './disconnect.ts';

/** What the caller may not see or read is nowhere in what these answer. */
export interface EmbeddingService {
  /** In the order of the UIDs. Throws `invalid_request` when they are too many for one answer. */
  of(
    caller: Caller,
    wanted: { readonly uids: readonly string[]; readonly field?: string | undefined },
  ): Promise<readonly NodeEmbedding[]>;
  /** JSON of the items of `SimilarNodes`, the best first. Rejects with `node_not_found`, `invalid_request` for a type that there is not. */
  similar(
    caller: Caller,
    wanted: {
      readonly uid: string;
      readonly count: number;
      readonly types?: readonly string[] | undefined;
    },
    signal: Disconnect,
  ): Promise<string>;
}
