import { type DocumentTable, DocumentTableBuilder } from './document-table.ts';
import { type FacetColumn, FacetColumnsBuilder, ordinalsStart } from './facet-column.ts';
import { FrequencyCombinations } from './frequency-table.ts';
import { NO_DOCUMENT } from './postings-cursor.ts';
import { PostingsWriter } from './postings-writer.ts';
import { layOutSegment } from './segment-content.ts';
import type { Segment } from './segment.ts';
import { StringTable, compareEntries } from './string-table.ts';
import { type Tombstones, isDeleted } from './tombstones.ts';
import { TermMerger } from './term-merger.ts';
import { mergeVocabularies } from './vocabulary/merge-vocabularies.ts';

export interface MergeSource {
  readonly segment: Segment;
  readonly tombstones: Tombstones;
}

/**
 * One segment of several, without their deleted documents. Nothing is analysed again: sources are gone through term by
 * term. Documents keep their order, those of an earlier source first.
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
 * The combinations that the sources have codes for, by how often they had them. A combination of none of them is rare;
 * it stays written out. One with a field that no document has any more is of deleted ones only.
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
function fieldNumbers({ documents }: Segment, merged: DocumentTable): Int16Array {
  return Int16Array.from(documents.fields.ids, (id) => merged.fields.ids.indexOf(id));
}

interface MergedTerms {
  readonly terms: string[];
  /** Source -> term -> its number in the merged segment, or -1 where no document has it any more. */
  readonly numbers: readonly Int32Array[];
}

/** Goes through the terms of all sources in ascending order; what several have in common is written at once. */
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

/** The tables whose next entry is the least of all, in ascending order; none where all are through. */
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
