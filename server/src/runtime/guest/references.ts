/** Names one node in an operation or a query. */
export type Reference = { readonly uid: string } | { readonly type: string; readonly key: string };

interface Referring {
  readonly UID?: string;
  readonly uid?: string;
  readonly type?: string;
  readonly key?: string;
}

/**
 * From the forms in which code names a node: a UID, a node, `{uid}`, `{type, key}`, or a type and a
 * key.
 */
export function referenceOf(node: unknown, key?: unknown): Reference {
  if (typeof node === 'string') {
    return key === undefined ? { uid: node } : { type: node, key: keyText(key) };
  }
  const { UID, uid, type, key: ownKey } = Object(node) as Referring;
  const named = UID ?? uid;
  if (named !== undefined) return { uid: named };
  if (type !== undefined && ownKey !== undefined) return { type, key: keyText(ownKey) };
  throw new TypeError('a node is named by its UID, by itself, or by its type and key');
}

export function uidOf(node: unknown): string {
  const reference = referenceOf(node);
  if ('uid' in reference) return reference.uid;
  throw new TypeError('here a node is named by its UID or by itself');
}

function keyText(key: unknown): string {
  if (typeof key === 'string') return key;
  throw new TypeError(`the key of a node is a text, not ${typeof key}`);
}
