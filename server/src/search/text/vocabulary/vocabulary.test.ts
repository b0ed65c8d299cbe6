import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SEARCH_TYPO_WORD_CODE_POINTS_MAX } from '#base/search-limits.ts';
import { typosAllowed } from '../query-text/expand-word.ts';
import {
  mergeVocabularies,
  Vocabulary,
  VocabularyBuilder,
  type VocabularyEntry,
} from './vocabulary.ts';
import { Vocabularies } from './vocabularies.ts';

/**
 * Few letters, so that words are near each other; a letter outside the basic plane, and the halves
 * of one.
 */
const letters = fc.constantFrom('a', 'b', 'c', 'é', '語', '𝒳', '\ud835', '\udcb3');
const words = fc.string({ unit: letters, maxLength: 7, size: 'max' });

function vocabularyOf(entries: readonly VocabularyEntry[]): Vocabulary {
  const builder = new VocabularyBuilder();
  for (const entry of entries) builder.add(entry);
  return new Vocabulary(builder.finish());
}

const entryLists = fc
  .uniqueArray(fc.record({ word: words, term: fc.nat(2), documentCount: fc.nat(50) }), {
    selector: ({ word, term }) => `${word} ${term}`,
    maxLength: 60,
    size: 'max',
  })
  .map((entries) =>
    entries.toSorted((a, b) => (a.word === b.word ? a.term - b.term : a.word < b.word ? -1 : 1)),
  );

function counted(entries: readonly VocabularyEntry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { word, documentCount } of entries) {
    counts.set(word, (counts.get(word) ?? 0) + documentCount);
  }
  return counts;
}

/** Optimal string alignment as the textbooks have it, with the whole table. */
function alignmentDistance(from: string, to: string): number {
  const a = [...from];
  const b = [...to];
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (__, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cell = Math.min(replaced, table[i - 1]![j]! + 1, table[i]![j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cell = Math.min(cell, table[i - 2]![j - 2]! + 1);
      }
      table[i]![j] = cell;
    }
  }
  return table[a.length]![b.length]!;
}

const byCount = (a: [string, number], b: [string, number]): number =>
  b[1] - a[1] || (a[0] < b[0] ? -1 : 1);

describe('a vocabulary', () => {
  test('gives back its entries, from any place in memory', () => {
    fc.assert(
      fc.property(entryLists, fc.nat(3), (entries, gap) => {
        const packed = vocabularyOf(entries).bytes;
        const memory = new SharedArrayBuffer(packed.length + gap * 4);
        new Uint8Array(memory).set(packed, gap * 4);
        const opened = new Vocabulary(memory, gap * 4);
        const read = Array.from({ length: opened.size }, (_, i) => ({
          word: opened.word(i),
          term: opened.term(i),
          documentCount: opened.documentCount(i),
        }));
        expect(read).toEqual(entries);
        expect(opened.bytes).toEqual(packed);
      }),
    );
  });

  test('finds the entries of a word, and those that begin with it', () => {
    fc.assert(
      fc.property(entryLists, words, (entries, word) => {
        const vocabulary = vocabularyOf(entries);
        const found = (range: [number, number]) => entries.slice(...range);
        const same = entries.filter((entry) => entry.word === word);
        expect(found(vocabulary.entriesOf(word))).toEqual(same);
        expect(found(vocabulary.entriesFrom(word))).toEqual(
          entries.filter((entry) => entry.word.startsWith(word)),
        );
        expect(vocabulary.documentCountOf(word)).toBe(counted(same).get(word) ?? 0);
      }),
    );
  });

  test('takes words sorted only', () => {
    const unsorted = ['b', 'a'].map((word) => ({ word, term: 0, documentCount: 1 }));
    expect(() => vocabularyOf(unsorted)).toThrow('sorted');
    expect(() => vocabularyOf([unsorted[0]!, unsorted[0]!])).toThrow('sorted');
  });

  test('holds a word of any length', () => {
    const word = 'ab'.repeat(100_000);
    expect(vocabularyOf([{ word, term: 0, documentCount: 1 }]).word(0)).toBe(word);
  });
});

test('completions are the most frequent words with a prefix', () => {
  fc.assert(
    fc.property(entryLists, words, fc.integer({ min: 1, max: 5 }), (entries, prefix, limit) => {
      const expected = [...counted(entries)]
        .filter(([word]) => word.startsWith(prefix))
        .toSorted(byCount);
      const found = new Vocabularies([vocabularyOf(entries)]).completions(prefix, limit);
      const counts = found.map(({ documentCount }) => documentCount);
      expect(counts).toEqual(expected.slice(0, limit).map(([, count]) => count));
      const all = new Vocabularies([vocabularyOf(entries)]).completions(prefix, 1_000);
      expect(all.map(({ word, documentCount }) => [word, documentCount])).toEqual(expected);
    }),
  );
});

test('typos are the words within a distance, of all parts together', () => {
  fc.assert(
    fc.property(
      fc.array(entryLists, { maxLength: 3 }),
      fc.oneof(words, fc.string({ unit: letters, maxLength: 12, size: 'max' })),
      fc.constantFrom<1 | 2>(1, 2),
      fc.boolean(),
      (parts, word, distance, firstLetterFixed) => {
        fc.pre(word !== '');
        const first = [...word][0]!;
        const expected = [...counted(parts.flat())]
          .filter(([other]) => !firstLetterFixed || other.startsWith(first))
          .map(([other, documentCount]) => ({
            word: other,
            documentCount,
            distance: alignmentDistance(word, other),
          }))
          .filter((found) => found.distance <= distance);
        const found = new Vocabularies(parts.map(vocabularyOf)).within(word, distance, 1_000, {
          firstLetterFixed,
        });
        expect(new Set(found)).toEqual(new Set(expected));
        expect(found.length).toBe(expected.length);
        const ranks = found.map((one) => one.distance * 1_000 - one.documentCount);
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('half a letter at the end of a hopeless word does not hide the next word', () => {
  const entries = ['b\ud835\ud835', 'b\ud835\ud835a', 'b\ud835\udcb3', 'ba'];
  const vocabulary = vocabularyOf(
    entries.toSorted().map((word) => ({ word, term: 0, documentCount: 1 })),
  );
  const found = new Vocabularies([vocabulary]).within('b', 1, 10).map(({ word }) => word);
  expect(found).toEqual(['ba', 'b\ud835\udcb3']);
});

test('words that are too long have no typos', () => {
  const longest = 'a'.repeat(SEARCH_TYPO_WORD_CODE_POINTS_MAX);
  const entries = ['', 'a', 'aa'].map((end) => `${longest}${end}`);
  const vocabularies = new Vocabularies([
    vocabularyOf(entries.map((word) => ({ word, term: 0, documentCount: 1 }))),
  ]);
  expect(vocabularies.within(longest, 2, 10)).toHaveLength(3);
  expect(vocabularies.within(`${longest}a`, 2, 10)).toEqual([]);
  expect(vocabularies.within('', 2, 10)).toEqual([]);
});

test('a merge is the vocabulary of all entries that still have a term', () => {
  fc.assert(
    fc.property(fc.array(entryLists, { maxLength: 4 }), (parts) => {
      const merged = new Vocabulary(
        mergeVocabularies(parts.map(vocabularyOf), (source, term) =>
          term === 2 ? undefined : (source + term) % 3,
        ),
      );
      const expected = new Map<string, number>();
      for (const [source, entries] of parts.entries()) {
        for (const { word, term, documentCount } of entries) {
          if (term === 2) continue;
          const key = `${word} ${(source + term) % 3}`;
          expected.set(key, (expected.get(key) ?? 0) + documentCount);
        }
      }
      const read = Array.from({ length: merged.size }, (_, i): [string, number] => [
        `${merged.word(i)} ${merged.term(i)}`,
        merged.documentCount(i),
      ]);
      expect(new Map(read)).toEqual(expected);
      expect(read).toHaveLength(expected.size);
    }),
  );
});

test.each([
  ['ab', 0],
  ['abc', 1],
  ['𝒳𝒳', 0],
  ['𝒳𝒳𝒳', 1],
  ['abcde', 1],
  ['abcdef', 2],
])('%s may have %i typos', (word, typos) => {
  expect(typosAllowed('auto', word)).toBe(typos);
  expect(typosAllowed(0, word)).toBe(0);
  expect(typosAllowed(2, word)).toBe(2);
});
