import type { NodeReference } from './operations.ts';

/** How messages name a node. */
export function nameOf(reference: NodeReference): string {
  const uid = typeof reference === 'string' ? reference : reference.uid;
  if (uid !== undefined) return `with the UID ${uid}`;
  const { type, key } = reference as Exclude<NodeReference, string>;
  return `${type} "${key}"`;
}
