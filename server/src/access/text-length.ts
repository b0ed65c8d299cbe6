/** About how many characters a value of JSON takes: enough to tell the large from the small. */
export function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let length = 0;
  if (Array.isArray(value)) {
    for (const one of value) length += 1 + textLength(one);
    return length;
  }
  for (const name in value) length += 1 + textLength((value as Record<string, unknown>)[name]);
  return length;
}
