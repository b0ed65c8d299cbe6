import type { DocumentTable } from './document-table.ts';
import type { FacetColumn } from './facet-column.ts';
import type { FrequencyTable } from './frequency-table.ts';
import type { Postings } from './postings-writer.ts';
import { SECTION, type Section, layOut } from './segment-layout.ts';
import { StringTable } from './string-table.ts';

/** All that a segment consists of, before it is laid out. */
export interface SegmentContent {
  readonly documents: DocumentTable;
  readonly frequencies: FrequencyTable;
  readonly terms: StringTable;
  readonly postings: Postings;
  readonly facets: ReadonlyMap<number, FacetColumn>;
  /** As `VocabularyBuilder` gives it. */
  readonly vocabulary: SharedArrayBuffer;
}

/** The memory of a segment, which `Segment` opens. */
export function layOutSegment(content: SegmentContent): SharedArrayBuffer {
  const { vocabulary, postings } = content;
  return layOut([
    ...documentSections(content.documents),
    ...frequencySections(content.frequencies),
    section(SECTION.termOffsets, content.terms.offsets),
    section(SECTION.termUnits, content.terms.units),
    section(SECTION.termBlocks, postings.termBlocks),
    section(SECTION.termDocumentCounts, postings.termDocumentCounts),
    section(SECTION.termWeights, postings.termWeights),
    section(SECTION.blockLasts, postings.blockLasts),
    section(SECTION.blockStarts, postings.blockStarts),
    section(SECTION.blockWeights, postings.blockWeights),
    section(SECTION.blockPositions, postings.blockPositions),
    ...[...content.facets].flatMap(([id, column]) => facetSections(id, column)),
    section(SECTION.vocabulary, new Uint8Array(vocabulary)),
    section(SECTION.postings, postings.bytes),
    section(SECTION.positions, postings.positions),
  ]);
}

function documentSections(documents: DocumentTable): Section[] {
  const names = StringTable.pack(documents.languageNames);
  return [
    section(SECTION.nodes, documents.nodes),
    section(SECTION.byNode, documents.byNode),
    section(SECTION.timestampsMs, documents.timestampsMs),
    section(SECTION.types, documents.types),
    section(SECTION.typeIds, documents.typeIds),
    section(SECTION.languages, documents.languages),
    section(SECTION.languageOffsets, names.offsets),
    section(SECTION.languageUnits, names.units),
    section(SECTION.lengthStarts, documents.lengthStarts),
    section(SECTION.lengthFields, documents.lengthFields),
    section(SECTION.lengthCodes, documents.lengthCodes),
    section(SECTION.lengthColumns, documents.lengthColumns),
    section(SECTION.fieldIds, documents.fields.ids),
    section(SECTION.fieldBoosts, documents.fields.boosts),
    section(SECTION.fieldDocumentCounts, documents.fields.documentCounts),
    section(SECTION.fieldLengthSums, documents.fields.lengthSums),
    section(SECTION.fieldColumns, documents.fields.columns),
    section(SECTION.fieldTypes, documents.fields.types),
  ];
}

function frequencySections(table: FrequencyTable): Section[] {
  return [
    section(SECTION.combinationStarts, table.starts),
    section(SECTION.combinationFields, table.fields),
    section(SECTION.combinationFrequencies, table.frequencies),
    section(SECTION.combinationCounts, table.counts),
  ];
}

function facetSections(column: number, { values, starts, ordinals }: FacetColumn): Section[] {
  return [
    { kind: SECTION.facetOffsets, column, data: values.offsets },
    { kind: SECTION.facetUnits, column, data: values.units },
    { kind: SECTION.facetStarts, column, data: starts },
    { kind: SECTION.facetOrdinals, column, data: ordinals },
  ];
}

function section(kind: Section['kind'], data: Section['data']): Section {
  return { kind, column: 0, data };
}
