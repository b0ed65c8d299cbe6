import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { NODE_UIDS_MAX, SEARCH_TYPES_MAX, SIMILAR_NODES_MAX } from '../limits.ts';
import { PATH_TEXT_CHARACTERS_MAX } from '../request-limits.ts';
import { queryInteger } from './list.ts';
import { nodeObject } from './node.ts';
import { graphName } from '../bounded-shapes.ts';
import { nodeReference } from './node-reference.ts';

/**
 * The body of `POST /api/embeddings/uids` (specification, section 5): the nodes, and the field when
 * not the vectors of all fields are wanted.
 */
export const embeddingsWanted = z.strictObject({
  UIDs: z.array(nodeReference).max(NODE_UIDS_MAX),
  field: graphName.min(1).optional(),
});

/** One vector of a node, of length 1. */
export const nodeEmbedding = z.strictObject({
  UID: z.string(),
  field: z.string(),
  model: z.string(),
  /** The number of the piece of text that it stands for. */
  chunk: z.int().min(0),
  vector: z.array(z.number()),
});
export type NodeEmbedding = Immutable<z.infer<typeof nodeEmbedding>>;

/** Where nobody says how many. */
const SIMILAR_COUNT_DEFAULT = 10;

export const similarQuery = z.object({
  count: queryInteger(1, SIMILAR_NODES_MAX, SIMILAR_COUNT_DEFAULT),
  /** Names of the types of the nodes that are found, with commas between them. */
  types: z
    .string()
    .max(PATH_TEXT_CHARACTERS_MAX)
    .transform((names) => names.split(','))
    .pipe(z.array(graphName.min(1)).max(SEARCH_TYPES_MAX))
    .optional(),
});

/** The best first; the score is a cosine. */
export const similarNodes = z.strictObject({
  items: z.array(z.strictObject({ node: nodeObject, score: z.number().min(-1).max(1) })),
});
export type SimilarNodes = Immutable<z.infer<typeof similarNodes>>;
