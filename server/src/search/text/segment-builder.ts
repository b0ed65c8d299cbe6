import { assert } from '#base/assert.ts';
import type { Token } from '../analysis/analyzer.ts';
import { type DocumentTable, DocumentTableBuilder } from './document-table.ts';
import { FacetColumnsBuilder } from './facet-column.ts';
import { ESCAPE, FIELDS_MAX, FREQUENCY_MAX, FrequencyCombinations } from './frequency-table.ts';
import { encodeLength } from './bm25.ts';
import { NamesBuilder } from './names/names-builder.ts';
import { NumberList } from './number-list.ts';
import { PostingsWriter } from './postings-writer.ts';
import { layOutSegment } from './segment-layout.ts';
import { sortStrings } from './sort-strings.ts';
import { StringTable } from './string-table.ts';
import { VocabularyBuilder } from './vocabulary/vocabulary.ts';

/**
 * What the text index keeps of a node: terms of its fields to find it, and the rest to filter and
 * count.
 */
export interface IndexedDocument {
  /** Dense id of the node in the graph, of at most 40 bits. */
  readonly node: number;
  /** Id of the node's type, of at most 16 bits. */
  readonly type: number;
  /** Used for sorting by time, time ranges and decay. Milliseconds since the Unix epoch. */
  readonly timestampMs: number;
  /** Two letters (ISO 639-1), or `--`. */
  readonly language: string;
  /** By ascending field, each at most once. */
  readonly fields: readonly FieldText[];
  readonly names?: readonly FieldNames[];
  /** By ascending column, each at most once. */
  readonly facets: readonly FacetValues[];
}

export interface FieldText {
  /** A number from 0 to 1,023 that the settings give to a field. */
  readonly field: number;
  /** Above 0, and the same for all documents with the field; the last one written wins. */
  readonly boost: number;
  /**
   * Positions never decrease. The caller leaves a gap between two values, so that no phrase spans
   * them.
   */
  readonly tokens: readonly Token[];
}

/** What a node is called in a field, whether the words of the field are searched or not. */
export interface FieldNames {
  readonly field: number;
  /** Folded, each once. */
  readonly names: readonly string[];
}

export interface FacetValues {
  readonly column: number;
  readonly values: readonly string[];
}

/** A word and the term it was indexed as. `other` is another term of the same word. */
interface Word {
  readonly term: string;
  readonly number: number;
  other: Word | undefined;
}

/** Numbers kept for each word: its term, how many documents have it, and the last of these + 1. */
const WORD_NUMBERS = 3;
const WORDS_AT_FIRST = 1_024;

/**
 * Collects documents and makes a segment of them. A token takes three numbers: its term, its field
 * of a document, its position. A counting sort by term at the end keeps documents, fields and
 * positions in order.
 */
export class SegmentBuilder {
  readonly #documents = new DocumentTableBuilder();
  readonly #facets = new FacetColumnsBuilder();
  readonly #names = new NamesBuilder();
  readonly #words = new Map<string, Word>();
  /**
   * Marks words as its own. Not the builder itself: words outlive it and would keep it in memory.
   */
  readonly #owner = {};
  #wordCount = 0;
  #wordNumbers = new Uint32Array(WORD_NUMBERS * WORDS_AT_FIRST);
  readonly #terms = new Map<string, number>();
  readonly #tokenTerms = new NumberList(4_096);
  readonly #tokenRuns = new NumberList(4_096);
  readonly #tokenPositions = new NumberList(4_096);
  readonly #runDocuments = new NumberList();
  readonly #runFields = new NumberList();

  get documentCount(): number {
    return this.#documents.count;
  }

  /** Names count as a token each. */
  get tokenCount(): number {
    return this.#tokenTerms.length + this.#names.length;
  }

  /** Returns the document's number within the segment. */
  add(document: IndexedDocument): number {
    const number = this.#documents.count;
    this.#documents.add(document.node, document.type, document.timestampMs, document.language);
    let before = -1;
    for (const field of document.fields) {
      assert(field.field > before && field.field < FIELDS_MAX, 'fields ascend, up to 1,023');
      before = field.field;
      if (field.tokens.length > 0) this.#addField(number, field);
    }
    for (const { field, names } of document.names ?? []) {
      assert(field < FIELDS_MAX, 'fields are up to 1,023');
      for (const name of names) this.#names.add(name, number, field);
    }
    for (const { column, values } of document.facets) this.#facets.add(number, column, values);
    return number;
  }

  /** Returns the memory of the segment. The builder cannot be used after this. */
  finish(): SharedArrayBuffer {
    const terms = sortStrings([...this.#terms.keys()]);
    const ranks = new Uint32Array(terms.length);
    terms.forEach((term, rank) => (ranks[this.#terms.get(term)!] = rank));
    const documents = this.#documents.finish();
    const tokens = this.#tokensByTerm(ranks, documents);
    const combinations = new FrequencyCombinations();
    for (let term = 0; term < terms.length; term++) countCombinations(tokens, term, combinations);
    const frequencies = combinations.finish();
    const writer = new PostingsWriter(documents, frequencies);
    for (let term = 0; term < terms.length; term++) writeTerm(tokens, term, combinations, writer);
    return layOutSegment({
      documents,
      frequencies,
      terms: StringTable.pack(terms),
      postings: writer.finish(),
      facets: this.#facets.finish(documents.count),
      vocabulary: this.#vocabulary(ranks),
      names: this.#names.finish(documents.count),
    });
  }

  #addField(document: number, { field, boost, tokens }: FieldText): void {
    assert(boost > 0, 'boosts are above 0');
    const run = this.#runDocuments.length;
    this.#runDocuments.push(document);
    this.#runFields.push(field);
    this.#documents.addField(field, boost, encodeLength(tokens.length));
    for (const token of tokens) {
      const at = WORD_NUMBERS * this.#word(token);
      const numbers = this.#wordNumbers;
      if (numbers[at + 2] !== document + 1) {
        numbers[at + 2] = document + 1;
        numbers[at + 1]! += 1;
      }
      this.#tokenTerms.push(numbers[at]!);
      this.#tokenRuns.push(run);
      this.#tokenPositions.push(token.position);
    }
  }

  /** The number of the word that a token is of. */
  #word({ surface, term, word: place }: Token): number {
    if (place?.owner === this.#owner) return place.number;
    const { number } = this.#find(surface, term);
    if (place !== undefined) {
      place.owner = this.#owner;
      place.number = number;
    }
    return number;
  }

  #find(surface: string, term: string): Word {
    const first = this.#words.get(surface);
    let word = first;
    while (word !== undefined && word.term !== term) word = word.other;
    if (word !== undefined) return word;
    word = { term, number: this.#addWord(term), other: first?.other };
    if (first === undefined) this.#words.set(surface, word);
    else first.other = word;
    return word;
  }

  #addWord(term: string): number {
    const termNumber = this.#termNumber(term);
    const at = WORD_NUMBERS * this.#wordCount;
    if (at === this.#wordNumbers.length) {
      const larger = new Uint32Array(2 * at);
      larger.set(this.#wordNumbers);
      this.#wordNumbers = larger;
    }
    this.#wordNumbers[at] = termNumber;
    return this.#wordCount++;
  }

  #termNumber(term: string): number {
    let number = this.#terms.get(term);
    if (number === undefined) this.#terms.set(term, (number = this.#terms.size));
    return number;
  }

  #tokensByTerm(ranks: Uint32Array, { fields }: DocumentTable): SortedTokens {
    const numbers = new Uint16Array(FIELDS_MAX);
    fields.ids.forEach((id, number) => (numbers[id] = number));
    const terms = this.#tokenTerms.values;
    const starts = new Uint32Array(ranks.length + 1);
    for (const term of terms) starts[ranks[term]! + 1]! += 1;
    for (let rank = 0; rank < ranks.length; rank++) starts[rank + 1]! += starts[rank]!;
    const next = starts.slice();
    const runs = new Uint32Array(terms.length);
    const positions = new Uint32Array(terms.length);
    for (let token = 0; token < terms.length; token++) {
      const rank = ranks[terms[token]!]!;
      const at = next[rank]!;
      next[rank] = at + 1;
      runs[at] = this.#tokenRuns.at(token);
      positions[at] = this.#tokenPositions.at(token);
    }
    return {
      starts,
      runs,
      positions,
      runDocuments: this.#runDocuments.values,
      runFields: this.#runFields.values.map((id) => numbers[id]!),
    };
  }

  #vocabulary(ranks: Uint32Array): SharedArrayBuffer {
    const builder = new VocabularyBuilder();
    const numbers = this.#wordNumbers;
    for (const surface of sortStrings([...this.#words.keys()])) {
      const first = this.#words.get(surface)!;
      const entries = [];
      for (let word: Word | undefined = first; word !== undefined; word = word.other) {
        const at = WORD_NUMBERS * word.number;
        entries.push({
          word: surface,
          term: ranks[numbers[at]!]!,
          documentCount: numbers[at + 1]!,
        });
      }
      if (entries.length > 1) entries.sort((a, b) => a.term - b.term);
      for (const entry of entries) builder.add(entry);
    }
    return builder.finish();
  }
}

/** Tokens by term, then document, field and position. A run is a field of a document. */
interface SortedTokens {
  readonly starts: Uint32Array;
  readonly runs: Uint32Array;
  readonly positions: Uint32Array;
  readonly runDocuments: Uint32Array;
  readonly runFields: Uint32Array;
}

/** The end of the run that `from` is in. */
function endOfRun({ runs }: SortedTokens, from: number, end: number): number {
  const run = runs[from];
  let at = from + 1;
  while (at < end && runs[at] === run) at++;
  return at;
}

function countCombinations(
  tokens: SortedTokens,
  term: number,
  combinations: FrequencyCombinations,
): void {
  const { starts, runs, runDocuments, runFields } = tokens;
  const end = starts[term + 1]!;
  for (let at = starts[term]!; at < end;) {
    const document = runDocuments[runs[at]!];
    let combination = 0;
    while (at < end && runDocuments[runs[at]!] === document) {
      const next = endOfRun(tokens, at, end);
      const frequency = Math.min(next - at, FREQUENCY_MAX);
      combination = combinations.extended(combination, runFields[runs[at]!]!, frequency);
      at = next;
    }
    combinations.count(combination);
  }
}

function writeTerm(
  tokens: SortedTokens,
  term: number,
  combinations: FrequencyCombinations,
  writer: PostingsWriter,
): void {
  const { starts, runs, runDocuments, runFields } = tokens;
  const end = starts[term + 1]!;
  for (let at = starts[term]!; at < end;) {
    const first = at;
    const document = runDocuments[runs[at]!]!;
    let combination = 0;
    let fieldCount = 0;
    while (at < end && runDocuments[runs[at]!] === document) {
      const next = endOfRun(tokens, at, end);
      const field = runFields[runs[at]!]!;
      const frequency = Math.min(next - at, FREQUENCY_MAX);
      combination = combinations.known(combination, field, frequency);
      writer.fields[fieldCount] = field;
      writer.frequencies[fieldCount++] = frequency;
      at = next;
    }
    writer.fieldCount = fieldCount;
    writer.add(document, combination < 0 ? ESCAPE : combinations.code(combination));
    writePositions(tokens, first, at, writer);
  }
  writer.finishTerm();
}

/** Positions of one document as differences, starting over for each field. */
function writePositions(
  { runs, positions }: SortedTokens,
  from: number,
  to: number,
  writer: PostingsWriter,
): void {
  let before = 0;
  let inRun = 0;
  for (let at = from; at < to; at++) {
    if (at === from || runs[at] !== runs[at - 1]) {
      before = 0;
      inRun = 0;
    }
    if (inRun++ >= FREQUENCY_MAX) continue;
    const position = positions[at]!;
    writer.positions.variable(position - before);
    before = position;
  }
}
