import { z } from 'zod';
import { graphName, uidText } from '../bounded-shapes.ts';
import type { Immutable } from '../immutable.ts';
import { NODE_TEXT_CHARACTERS_MAX } from '../request-limits.ts';

/**
 * A node, wherever a request names one: its UID, as a text or in an object, or its type and key. A
 * text that is no UID counts as the UID of a node that does not exist.
 */
export const nodeReference = z.union(
  [
    uidText,
    z.strictObject({ uid: uidText.min(1) }),
    z.strictObject({
      type: graphName.min(1),
      key: z.string().min(1).max(NODE_TEXT_CHARACTERS_MAX),
    }),
  ],
  { error: 'must be a UID, {uid} or {type, key}' },
);
export type NodeReference = Immutable<z.infer<typeof nodeReference>>;
