import { keyedUid, tryParseUid } from '#base/uid.ts';
import type { NodeReference } from './operations.ts';

/**
 * Undefined for what no node has: a text that is no UID, or a key with a lone surrogate, whose
 * digest is another's too.
 */
export function uidOf(reference: NodeReference): Uint8Array | undefined {
  if (reference.uid !== undefined) return tryParseUid(reference.uid);
  return reference.key.isWellFormed() ? keyedUid(reference.type, reference.key) : undefined;
}
