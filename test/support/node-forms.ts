import { nodeUid } from '@trellis/client/uid.ts';
import type { NodeReference } from '@trellis/contract/shapes/node-reference.ts';

/** The ways to name a node of which all places that take one know. */
export function nodeForms(type: string, key: string): readonly NodeReference[] {
  const uid = nodeUid(type, key);
  return [uid, { uid }, { type, key }];
}
