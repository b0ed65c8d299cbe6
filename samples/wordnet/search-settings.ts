/** What of WordNet can be searched: synsets by their words and their gloss, and words. */
export const wordnetSearchSettings = {
  types: {
    Synset: {
      searchable: true,
      language: 'en',
      fields: {
        Name: { text: { boost: 4 } },
        Lemmas: { text: { boost: 4 } },
        Definition: { text: { boost: 2 } },
        Examples: { text: { boost: 1 } },
        Pos: { facet: true },
        LexFile: { facet: true },
      },
    },
    // So much that a word comes before its synsets, which are called like it, too.
    Word: {
      searchable: true,
      language: 'en',
      weight: 20,
      fields: { Lemma: { text: { boost: 1 } } },
    },
  },
};
