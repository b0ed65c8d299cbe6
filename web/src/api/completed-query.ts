const PLAIN_WORDS = /^[\p{L}\p{M}\p{N}\s]+$/u;

/**
 * A query while it is typed: its last word may be the beginning of one. What has signs of its own
 * stays as it is.
 */
export function completedQuery(text: string): string {
  const words = text.trim();
  if (!PLAIN_WORDS.test(words)) return words;
  const before = words.split(/\s+/);
  const last = before.pop() ?? '';
  return [...before, `(${last} OR ${last}*)`].join(' ');
}
