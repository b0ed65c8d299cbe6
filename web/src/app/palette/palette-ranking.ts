/** What can be found by a text. */
export interface Findable {
  readonly label: string;
  /** Further words by which it is found. */
  readonly words?: string | undefined;
}

/** How well something fits; the lower the better. */
const EXACT = 0;
const BEGINS = 1;
const WORD_BEGINS = 2;
const WITHIN = 3;
const BY_OTHER_WORDS = 4;

/** Undefined when it does not fit: each word must be somewhere. */
export function rankOf({ label, words = '' }: Findable, text: string): number | undefined {
  const wanted = folded(text);
  if (wanted === '') return BY_OTHER_WORDS;
  const name = folded(label);
  if (name === wanted) return EXACT;
  if (name.startsWith(wanted)) return BEGINS;
  const parts = wanted.split(' ');
  const begins = name.split(/[^\p{L}\p{N}]+/u);
  if (parts.every((part) => begins.some((word) => word.startsWith(part)))) return WORD_BEGINS;
  if (parts.every((part) => name.includes(part))) return WITHIN;
  const all = `${name} ${folded(words)}`;
  return parts.every((part) => all.includes(part)) ? BY_OTHER_WORDS : undefined;
}

export interface Group<T> {
  readonly title: string;
  readonly items: readonly T[];
}

interface GroupLimits {
  /** How many are shown of a group. */
  readonly itemsMax: number;
}

/**
 * The groups with what fits, the best first within each, and the group with the best first: what is
 * named exactly stands above everything else. Those that fit as well keep their order.
 */
export function rankedGroups<T extends Findable>(
  groups: readonly Group<T>[],
  text: string,
  { itemsMax }: GroupLimits,
): readonly Group<T>[] {
  return groups
    .map(({ title, items }) => {
      const ranked = items.flatMap((item) => {
        const rank = rankOf(item, text);
        return rank === undefined ? [] : [{ item, rank }];
      });
      const sorted = ranked.toSorted((one, other) => one.rank - other.rank);
      const shown = sorted.slice(0, itemsMax).map(({ item }) => item);
      return { title, items: shown, rank: sorted[0]?.rank ?? Infinity };
    })
    .filter(({ items }) => items.length > 0)
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ title, items }) => ({ title, items }));
}

/** Without case, accents and more than one space between words. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .trim()
    .replaceAll(/\s+/g, ' ');
}
