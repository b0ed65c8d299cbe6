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
    Word: { searchable: true, language: 'en', fields: { Lemma: { text: { boost: 1 } } } },
  },
};
