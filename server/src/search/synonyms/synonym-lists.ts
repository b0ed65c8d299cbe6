import { Problem } from '#base/problem.ts';
import { SYNONYMS_MAX } from '@trellis/contract/limits.ts';
import type { SynonymLists } from './synonym-records.ts';

/** Lists as they are stored: each word once, whatever its case; the term itself, and what is blocked, goes with nothing. */
export function tidyLists(token: string, lists: SynonymLists): SynonymLists {
  const Blocked = distinct(lists.Blocked, [token]);
  const Alternates = distinct(lists.Alternates, [token, ...Blocked]);
  const Synonyms = distinct(lists.Synonyms, [token, ...Blocked, ...Alternates]);
  return { Synonyms, Alternates, Blocked };
}

/**
 * Adds to what there is. What is blocked now does not stay a synonym, and what is made a synonym now does not stay blocked: the
 * newer word holds. Throws `invalid_request` when a list grows too long.
 */
export function mergeLists(token: string, before: SynonymLists, added: SynonymLists): SynonymLists {
  const linked = [...added.Synonyms, ...added.Alternates];
  const merged = tidyLists(token, {
    Synonyms: [...distinct(before.Synonyms, added.Alternates), ...added.Synonyms],
    Alternates: [...distinct(before.Alternates, added.Synonyms), ...added.Alternates],
    Blocked: [...distinct(before.Blocked, linked), ...added.Blocked],
  });
  for (const [name, words] of Object.entries(merged)) {
    if (words.length <= SYNONYMS_MAX) continue;
    throw new Problem('invalid_request', `${name} would be ${words.length} words.`, {
      hint: `At most ${SYNONYMS_MAX} go with one term; replace=true takes the place of what there is.`,
      details: { fields: [{ path: name, message: `must have at most ${SYNONYMS_MAX} words` }] },
    });
  }
  return merged;
}

/** In their order, each once, without those of `others`; in any case. */
function distinct(words: readonly string[], others: readonly string[]): string[] {
  const seen = new Set(others.map(caseless));
  return words
    .map((word) => word.trim().normalize('NFC'))
    .filter((word) => word !== '' && !seen.has(caseless(word)) && seen.add(caseless(word)));
}

function caseless(word: string): string {
  return word.trim().normalize('NFC').toLowerCase();
}
