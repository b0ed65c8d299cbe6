import type { SynonymLists } from '@trellis/contract/shapes/search.ts';

export type ListName = keyof SynonymLists;

export const LIST_NAMES: readonly ListName[] = ['Synonyms', 'Alternates', 'Blocked'];

export const LIST_HINTS: Readonly<Record<ListName, string>> = {
  Synonyms: 'Other words that are searched too; a hit by one counts for less.',
  Alternates: 'Other ways to write the same; a hit by one counts as much.',
  Blocked: 'Words that the term never stands for and that are never suggested.',
};

export function listsOf({ Synonyms, Alternates, Blocked }: SynonymLists): SynonymLists {
  return { Synonyms, Alternates, Blocked };
}

/** With a word in one list, and so in no other. */
export function withWord(lists: SynonymLists, name: ListName, word: string): SynonymLists {
  const without = (other: ListName) => lists[other].filter((one) => one !== word);
  const others = {
    Synonyms: without('Synonyms'),
    Alternates: without('Alternates'),
    Blocked: without('Blocked'),
  };
  return { ...others, [name]: [...others[name], word] };
}

/** What to store for each word, so that it goes the other way too. */
export function mirrored(
  token: string,
  lists: SynonymLists,
): readonly { readonly token: string; readonly lists: SynonymLists }[] {
  const none: SynonymLists = { Synonyms: [], Alternates: [], Blocked: [] };
  return LIST_NAMES.flatMap((name) =>
    lists[name].map((word) => ({ token: word, lists: { ...none, [name]: [token] } })),
  );
}
