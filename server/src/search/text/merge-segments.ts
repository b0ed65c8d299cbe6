import { type DocumentTable, DocumentTableBuilder } from './document-table.ts';
import { type FacetColumn, FacetColumnsBuilder, ordinalsStart } from './facet-column.ts';
import { ESCAPE, FrequencyCombinations } from './frequency-table.ts';
import { mergeNames } from './names/merge-names.ts';
import { NO_DOCUMENT } from './postings-cursor.ts';
import {
  afterVariables,
  blockSize,
  documentAt,
  documentWidth,
  PostingsWriter,
  variableAt,
} from './postings-writer.ts';
import { layOutSegment } from './segment-layout.ts';
import type { TextSegment } from './segment.ts';
import { compareEntries, StringTable } from './string-table.ts';
import { isDeleted, type Tombstones } from './tombstones.ts';
import { mergeVocabularies } from './vocabulary/vocabulary.ts';
import type { ByteWindow, OpenPages } from './segment-bytes.ts';
import { openSegment } from './index-view.ts';
import type { MergeTask } from './text-index.ts';

export interface MergeSource {
  readonly segment: TextSegment;
  readonly tombstones: Tombstones;
}

/**
 * Merges segments into one without their deleted documents, term by term, without analyzing again.
 * Documents keep their order; those of earlier sources come first.
 */
export function mergeSegments(sources: readonly MergeSource[]): SharedArrayBuffer {
  const renumberings = renumber(sources);
  const documents = mergeDocuments(sources);
  const combinations = countCombinations(sources, documents);
  const frequencies = combinations.finish();
  const writer = new PostingsWriter(documents, frequencies);
  const mergers = sources.map(
    ({ segment }, index) =>
      new TermMerger({
        segment,
        renumbering: renumberings[index]!,
        fields: fieldNumbers(segment, documents),
        combinations,
        writer,
      }),
  );
  const { terms, numbers } = mergeTerms(sources, mergers, writer);
  return layOutSegment({
    documents,
    frequencies,
    terms: StringTable.pack(terms),
    postings: writer.finish(),
    facets: mergeFacets(sources, renumberings, documents.count),
    vocabulary: mergeVocabularies(
      sources.map(({ segment }) => segment.vocabulary),
      (source, term) => {
        const number = numbers[source]![term]!;
        return number < 0 ? undefined : number;
      },
    ),
    names: mergeNames(
      sources.map(({ segment: { names } }, index) => ({
        names,
        renumbering: renumberings[index]!,
      })),
      documents.count,
    ),
  });
}

/** Source -> document -> its number in the merged segment, or `NO_DOCUMENT` where it is deleted. */
function renumber(sources: readonly MergeSource[]): Uint32Array[] {
  let next = 0;
  return sources.map(({ segment, tombstones }) =>
    Uint32Array.from({ length: segment.documents.count }, (_, document) =>
      isDeleted(tombstones, document) ? NO_DOCUMENT : next++,
    ),
  );
}

function mergeDocuments(sources: readonly MergeSource[]): DocumentTable {
  const builder = new DocumentTableBuilder();
  for (const { segment, tombstones } of sources) {
    const table = segment.documents;
    const { ids, boosts } = table.fields;
    for (let document = 0; document < table.count; document++) {
      if (isDeleted(tombstones, document)) continue;
      builder.add(
        table.nodes[document]!,
        table.typeIds[table.types[document]!]!,
        table.timestampsMs[document]!,
        table.languageNames[table.languages[document]!]!,
      );
      for (let at = table.lengthStarts[document]!; at < table.lengthStarts[document + 1]!; at++) {
        const field = table.lengthFields[at]!;
        builder.addField(ids[field]!, boosts[field]!, table.lengthCodes[at]!);
      }
    }
  }
  return builder.finish();
}

/**
 * Counts the combinations that have codes in the sources; others are rare and stay written out. A
 * combination with a field that no document has any more belongs to deleted documents only.
 */
function countCombinations(
  sources: readonly MergeSource[],
  documents: DocumentTable,
): FrequencyCombinations {
  const combinations = new FrequencyCombinations();
  for (const { segment } of sources) {
    const { starts, fields, frequencies, counts } = segment.frequencies;
    const numbers = fieldNumbers(segment, documents);
    counts.forEach((count, code) => {
      let combination = 0;
      for (let i = starts[code]!; i < starts[code + 1]!; i++) {
        const field = numbers[fields[i]!]!;
        combination = field < 0 ? -1 : combinations.extended(combination, field, frequencies[i]!);
      }
      combinations.count(combination, count);
    });
  }
  return combinations;
}

/** Field of the source -> field of the merged segment, or -1. */
function fieldNumbers({ documents }: TextSegment, merged: DocumentTable): Int16Array {
  return Int16Array.from(documents.fields.ids, (id) => merged.fields.ids.indexOf(id));
}

interface MergedTerms {
  readonly terms: string[];
  /** Source -> term -> number in the merged segment; -1 if no document has it any more. */
  readonly numbers: readonly Int32Array[];
}

/** Visits the terms of all sources in ascending order; a term of several sources once. */
function mergeTerms(
  sources: readonly MergeSource[],
  mergers: readonly TermMerger[],
  writer: PostingsWriter,
): MergedTerms {
  const tables = sources.map(({ segment }) => segment.terms);
  const next = sources.map(() => 0);
  const numbers = tables.map(({ size }) => new Int32Array(size).fill(-1));
  const terms: string[] = [];
  for (;;) {
    const least = leastOf(tables, next);
    if (least.length === 0) return { terms, numbers };
    for (const source of least) mergers[source]!.write(next[source]!);
    const isKept = writer.finishTerm();
    const [first] = least;
    if (isKept) {
      for (const source of least) numbers[source]![next[source]!] = terms.length;
      terms.push(tables[first!]!.get(next[first!]!));
    }
    for (const source of least) next[source]! += 1;
  }
}

/** The tables whose next entry is the smallest, in ascending order; none at the end. */
function leastOf(tables: readonly StringTable[], next: readonly number[]): number[] {
  let least: number[] = [];
  tables.forEach((table, index) => {
    if (next[index]! >= table.size) return;
    const [first] = least;
    if (first === undefined) {
      least = [index];
      return;
    }
    const order = compareEntries(table, next[index]!, tables[first]!, next[first]!);
    if (order < 0) least = [index];
    else if (order === 0) least.push(index);
  });
  return least;
}

function mergeFacets(
  sources: readonly MergeSource[],
  renumberings: readonly Uint32Array[],
  documentCount: number,
): Map<number, FacetColumn> {
  const builder = new FacetColumnsBuilder();
  sources.forEach(({ segment }, source) => {
    for (const [id, facet] of segment.facets) {
      const { values, ordinals } = facet;
      const column = builder.column(id);
      const numbers = new Int32Array(values.size).fill(-1);
      renumberings[source]!.forEach((number, document) => {
        if (number === NO_DOCUMENT) return;
        const end = ordinalsStart(facet, document + 1);
        for (let at = ordinalsStart(facet, document); at < end; at++) {
          const ordinal = ordinals[at]!;
          if (ordinal === values.size) continue;
          if (numbers[ordinal]! < 0) numbers[ordinal] = column.numberOf(values.get(ordinal));
          column.add(number, numbers[ordinal]!);
        }
      });
    }
  });
  return builder.finish(documentCount);
}

interface TermMergerParts {
  readonly segment: TextSegment;
  /** Document -> its number in the merged segment, or `NO_DOCUMENT`. */
  readonly renumbering: Uint32Array;
  /** Field -> its number in the merged segment, or -1. */
  readonly fields: Int16Array;
  readonly combinations: FrequencyCombinations;
  readonly writer: PostingsWriter;
}

/**
 * Writes the postings of one source into a merged segment, term by term. Copies positions as they
 * are.
 */
class TermMerger {
  readonly #parts: TermMergerParts;
  /** Code in the source -> code in the merged segment. */
  readonly #codes: Uint8Array;
  /** Code -> positions of a posting that has it. */
  readonly #occurrences: Uint32Array;
  readonly #postings: ByteWindow;
  readonly #positions: ByteWindow;

  constructor(parts: TermMergerParts) {
    this.#parts = parts;
    const { starts, frequencies, counts } = parts.segment.frequencies;
    this.#codes = new Uint8Array(ESCAPE).fill(ESCAPE);
    this.#occurrences = new Uint32Array(ESCAPE);
    counts.forEach((_, code) => {
      this.#loadCombination(code);
      this.#codes[code] = this.#codeOfLoaded();
      for (let i = starts[code]!; i < starts[code + 1]!; i++) {
        this.#occurrences[code]! += frequencies[i]!;
      }
    });
    this.#postings = parts.segment.postings.window();
    this.#positions = parts.segment.positions.window();
  }

  write(term: number): void {
    const { segment } = this.#parts;
    const documentCount = segment.termDocumentCounts[term]!;
    const first = segment.termBlocks[term]!;
    for (let block = first; block < segment.termBlocks[term + 1]!; block++) {
      const size = blockSize(documentCount, block - first);
      this.#writeBlock(block, size, block === first ? 0 : segment.blockLasts[block - 1]!);
    }
  }

  /** `base` is the last document of the block before. */
  #writeBlock(block: number, size: number, base: number): void {
    const { segment, renumbering, writer } = this.#parts;
    const { blockStarts, blockLasts } = segment;
    const width = documentWidth(blockLasts[block]! - base);
    const from = blockStarts[block]!;
    const documentsAt = this.#postings.seek(from, blockStarts[block + 1]! - from);
    const codesAt = documentsAt + size * width;
    const { bytes } = this.#postings;
    const start = segment.blockPositions[block]!;
    const end = segment.blockPositions[block + 1]!;
    let at = this.#positions.seek(start, end - start);
    const positions = this.#positions.bytes;
    let escape = codesAt + size;
    for (let i = 0; i < size; i++) {
      const document = renumbering[documentAt(bytes, documentsAt + i * width, width, base)]!;
      let code = bytes[codesAt + i]!;
      let occurrences: number;
      if (code === ESCAPE) {
        const counted = this.#loadEscape(bytes, escape);
        escape = counted.end;
        occurrences = counted.occurrences;
        if (document !== NO_DOCUMENT) code = this.#codeOfLoaded();
      } else {
        occurrences = this.#occurrences[code]!;
        const merged = this.#codes[code]!;
        if (merged === ESCAPE) this.#loadCombination(code);
        code = merged;
      }
      const begin = at;
      at = afterVariables(positions, at, occurrences);
      if (document === NO_DOCUMENT) continue;
      writer.add(document, code);
      writer.positions.copy(positions, begin, at);
    }
  }

  /** Gives the writer the fields and frequencies of a code. */
  #loadCombination(code: number): void {
    const { writer, fields: numbers, segment } = this.#parts;
    const { starts, fields, frequencies } = segment.frequencies;
    const from = starts[code]!;
    writer.fieldCount = starts[code + 1]! - from;
    for (let i = 0; i < writer.fieldCount; i++) {
      writer.fields[i] = numbers[fields[from + i]!]!;
      writer.frequencies[i] = frequencies[from + i]!;
    }
  }

  #loadEscape(bytes: Uint8Array, start: number): { end: number; occurrences: number } {
    const { writer, fields } = this.#parts;
    let occurrences = 0;
    writer.fieldCount = variableAt(bytes, start);
    let at = afterVariables(bytes, start, 1);
    for (let i = 0; i < writer.fieldCount; i++) {
      writer.fields[i] = fields[variableAt(bytes, at)]!;
      at = afterVariables(bytes, at, 1);
      const frequency = variableAt(bytes, at);
      writer.frequencies[i] = frequency;
      occurrences += frequency;
      at = afterVariables(bytes, at, 1);
    }
    return { end: at, occurrences };
  }

  #codeOfLoaded(): number {
    const { combinations, writer } = this.#parts;
    let combination = 0;
    for (let i = 0; i < writer.fieldCount; i++) {
      combination = combinations.known(combination, writer.fields[i]!, writer.frequencies[i]!);
    }
    return combination < 0 ? ESCAPE : combinations.code(combination);
  }
}

/** Merges the segments of a task, in any thread. Reads those in files with `openPages`. */
export function performMerge({ parts }: MergeTask, openPages?: OpenPages): SharedArrayBuffer {
  return mergeSegments(
    parts.map((part) => ({
      segment: openSegment(part, openPages),
      tombstones: part.tombstones,
    })),
  );
}
