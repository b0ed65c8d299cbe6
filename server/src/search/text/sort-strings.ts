/** With fewer or more strings than this, the built-in sort is as fast. */
const STRINGS_MIN = 64;
const STRINGS_MAX = 2 ** 21;
const PREFIX_UNITS = 4;

/**
 * Sorts distinct strings by their UTF-16 units. It sorts numbers that hold the beginning and the
 * place of each string, which takes a fraction of the time of comparing strings.
 */
export function sortStrings(strings: readonly string[]): string[] {
  const { length } = strings;
  if (length < STRINGS_MIN || length > STRINGS_MAX) return strings.toSorted();
  const keys = new Float64Array(length);
  for (let i = 0; i < length; i++) keys[i] = prefixOf(strings[i]!) * STRINGS_MAX + i;
  keys.sort();
  const sorted = Array.from(keys, (key) => strings[key % STRINGS_MAX]!);
  for (let from = 0; from < length;) {
    const prefix = Math.floor(keys[from]! / STRINGS_MAX);
    let to = from + 1;
    while (to < length && Math.floor(keys[to]! / STRINGS_MAX) === prefix) to++;
    if (to - from > 1) putInOrder(sorted, from, to);
    from = to;
  }
  return sorted;
}

/** The first units, 8 bits each. It stops after a larger unit: `putInOrder` decides from there. */
function prefixOf(string: string): number {
  let prefix = 0;
  let left = PREFIX_UNITS;
  for (let i = 0; left > 0 && i < string.length; left--, i++) {
    const unit = string.charCodeAt(i);
    prefix = prefix * 256 + Math.min(unit, 255);
    if (unit >= 255) i = string.length;
  }
  return prefix * 256 ** left;
}

function putInOrder(strings: string[], from: number, to: number): void {
  const few = strings.slice(from, to).toSorted();
  for (let i = from; i < to; i++) strings[i] = few[i - from]!;
}
