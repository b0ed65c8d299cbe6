/** 22 letters of base58 (open-shapes, section 2, "UID"). */
const UID = /^[1-9A-HJ-NP-Za-km-z]{22}$/;
const PLAIN_WORDS = /^[\p{L}\p{M}\p{N}\s]+$/u;

/** Whether a text has the shape of a UID. */
export function isUid(text: string): boolean {
  return UID.test(text);
}

/**
 * A query while it is typed: its last word may be the beginning of one. What has signs of its own
 * stays as it is, and so does a UID, which is found as a whole.
 */
export function completedQuery(text: string): string {
  const words = text.trim();
  if (isUid(words) || !PLAIN_WORDS.test(words)) return words;
  const before = words.split(/\s+/);
  const last = before.pop() ?? '';
  return [...before, `(${last} OR ${last}*)`].join(' ');
}
