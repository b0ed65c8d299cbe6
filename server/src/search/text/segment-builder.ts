import { assert } from '#base/assert.ts';
import type { Token } from '../analysis/analyzer.ts';
import { type DocumentTable, DocumentTableBuilder } from './document-table.ts';
import { FacetColumnsBuilder } from './facet-column.ts';
import { ESCAPE, FIELDS_MAX, FREQUENCY_MAX, FrequencyCombinations } from './frequency-table.ts';
import type { FieldText, IndexedDocument } from './indexed-document.ts';
import { encodeLength } from './length-code.ts';
import { NumberList } from './number-list.ts';
import { PostingsWriter } from './postings-writer.ts';
import { layOutSegment } from './segment-content.ts';
import { sortStrings } from './sort-strings.ts';
import { StringTable } from './string-table.ts';
import { VocabularyBuilder } from './vocabulary/vocabulary-builder.ts';

/** A pair of a word and the term it was indexed as. Another term of the same word hangs on `other`. */
interface Word {
  readonly surface: string;
  readonly term: string;
  readonly termNumber: number;
  documentCount: number;
  lastDocument: number;
  other: Word | undefined;
}

const RECENT_AT_FIRST = 64;
const RECENT_MAX = 131_072;

function emptyPlaces(count: number): (Word | undefined)[] {
  return Array.from({ length: count }, () => undefined);
}

/**
 * Collects documents and makes a segment of them. A token costs three numbers until then: which term, which field of
 * which document, which position. Sorting them by term at the end is a counting sort, which keeps documents, fields
 * and positions in the order they came in.
 */
export class SegmentBuilder {
  readonly #documents = new DocumentTableBuilder();
  readonly #facets = new FacetColumnsBuilder();
  readonly #words = new Map<string, Word>();
  /** By the hints of tokens: nearly always the word that a token is of. As many as a power of two. */
  #recent: (Word | undefined)[] = emptyPlaces(RECENT_AT_FIRST);
  readonly #terms = new Map<string, number>();
  readonly #tokenTerms = new NumberList(4_096);
  readonly #tokenRuns = new NumberList(4_096);
  readonly #tokenPositions = new NumberList(4_096);
  readonly #runDocuments = new NumberList();
  readonly #runFields = new NumberList();

  get documentCount(): number {
    return this.#documents.count;
  }

  get tokenCount(): number {
    return this.#tokenTerms.length;
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
    for (const { column, values } of document.facets) this.#facets.add(number, column, values);
    return number;
  }

  /** The memory of the segment. The builder is of no use after. */
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
    });
  }

  #addField(document: number, { field, boost, tokens }: FieldText): void {
    assert(boost > 0, 'boosts are above 0');
    const run = this.#runDocuments.length;
    this.#runDocuments.push(document);
    this.#runFields.push(field);
    this.#documents.addField(field, boost, encodeLength(tokens.length));
    for (const token of tokens) {
      const word = this.#word(token);
      if (word.lastDocument !== document) {
        word.lastDocument = document;
        word.documentCount++;
      }
      this.#tokenTerms.push(word.termNumber);
      this.#tokenRuns.push(run);
      this.#tokenPositions.push(token.position);
    }
  }

  #word({ surface, term, hint = 0 }: Token): Word {
    const recent = this.#recent[this.#placeOf(hint)];
    if (recent !== undefined && recent.surface === surface && recent.term === term) return recent;
    const word = this.#find(surface, term);
    if (this.#words.size * 2 > this.#recent.length && this.#recent.length < RECENT_MAX) {
      this.#recent = emptyPlaces(this.#recent.length * 2);
    }
    this.#recent[this.#placeOf(hint)] = word;
    return word;
  }

  #placeOf(hint: number): number {
    return (hint ^ (hint >>> 15)) & (this.#recent.length - 1);
  }

  #find(surface: string, term: string): Word {
    const first = this.#words.get(surface);
    let word = first;
    while (word !== undefined && word.term !== term) word = word.other;
    if (word !== undefined) return word;
    let termNumber = this.#terms.get(term);
    if (termNumber === undefined) this.#terms.set(term, (termNumber = this.#terms.size));
    word = { surface, term, termNumber, documentCount: 0, lastDocument: -1, other: undefined };
    if (first === undefined) {
      this.#words.set(surface, word);
    } else {
      word.other = first.other;
      first.other = word;
    }
    return word;
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
    for (const surface of sortStrings([...this.#words.keys()])) {
      const first = this.#words.get(surface)!;
      const words = [first];
      for (let { other } = first; other !== undefined; { other } = other) words.push(other);
      if (words.length > 1) words.sort((a, b) => ranks[a.termNumber]! - ranks[b.termNumber]!);
      for (const { termNumber, documentCount } of words) {
        builder.add({ word: surface, term: ranks[termNumber]!, documentCount });
      }
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

/** Where the tokens of the run that `from` is in end. */
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

/** Positions of one document: for each field anew, differences from one to the next. */
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
