import { assert } from '#base/assert.ts';
import type { DocumentTable } from './document-table.ts';
import type { FacetColumn } from './facet-column.ts';
import type { FrequencyTable } from './frequency-table.ts';
import type { NameBytes } from './names/name-table.ts';
import type { Postings } from './postings-writer.ts';
import { StringTable } from './string-table.ts';

/** The parts of a segment. Those that a segment may leave in its file come last. */
export const SECTION = {
  nodes: 1,
  byNode: 2,
  timestampsMs: 3,
  types: 4,
  typeIds: 5,
  languages: 6,
  languageOffsets: 7,
  languageUnits: 8,
  lengthStarts: 9,
  lengthFields: 10,
  lengthCodes: 11,
  lengthColumns: 12,
  fieldIds: 13,
  fieldBoosts: 14,
  fieldDocumentCounts: 15,
  fieldLengthSums: 16,
  fieldColumns: 17,
  fieldTypes: 18,
  combinationStarts: 19,
  combinationFields: 20,
  combinationFrequencies: 21,
  combinationCounts: 22,
  termOffsets: 23,
  termUnits: 24,
  termBlocks: 25,
  termDocumentCounts: 26,
  termWeights: 27,
  blockLasts: 28,
  blockStarts: 29,
  blockWeights: 30,
  blockPositions: 31,
  facetOffsets: 32,
  facetUnits: 33,
  facetStarts: 34,
  facetOrdinals: 35,
  vocabulary: 36,
  postings: 37,
  positions: 38,
  nameBlockStarts: 39,
  nameBlockEntries: 40,
  names: 41,
  nameEntries: 42,
} as const;

type SectionKind = (typeof SECTION)[keyof typeof SECTION];

type SectionNumbers = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

interface Section {
  readonly kind: SectionKind;
  /** Id of the facet column, for kinds with one section for each column; else 0. */
  readonly column: number;
  readonly data: SectionNumbers;
}

const MAGIC = 0x67_73_74_54;
/** Raise it when older bytes would be read wrongly. */
const FORMAT = 3;
export const HEADER_BYTES = 24;
const ENTRY_BYTES = 24;
const ALIGNMENT = 8;

/**
 * Reads from the first bytes of a segment where its sections are. Numbers are little-endian, like
 * all machines we run on.
 */
export class SegmentLayout {
  readonly #places = new Map<number, { readonly offset: number; readonly length: number }>();
  readonly facetColumns: readonly number[];
  /** Bytes of the header and all sections but postings, positions and names. */
  readonly residentBytes: number;

  /** `head` is the beginning of a segment, at least as long as `headBytes` says. */
  constructor(head: Uint8Array) {
    const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
    const columns = new Set<number>();
    for (let entry = 0; entry < view.getUint32(8, true); entry++) {
      const at = HEADER_BYTES + entry * ENTRY_BYTES;
      const kind = view.getUint32(at, true);
      const column = view.getUint32(at + 4, true);
      const place = {
        offset: view.getFloat64(at + 8, true),
        length: view.getFloat64(at + 16, true),
      };
      this.#places.set(keyOf(kind, column), place);
      if (kind === SECTION.facetStarts) columns.add(column);
    }
    this.facetColumns = [...columns];
    this.residentBytes = this.place(SECTION.postings).offset;
  }

  place(kind: SectionKind, column = 0): { readonly offset: number; readonly length: number } {
    const place = this.#places.get(keyOf(kind, column));
    assert(place !== undefined, 'a segment has all sections');
    return place;
  }
}

/**
 * Bytes of the header and the table of sections; undefined if this is no segment of this format.
 */
export function headBytes(header: Uint8Array): number | undefined {
  if (header.length < HEADER_BYTES) return undefined;
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== FORMAT) return undefined;
  return HEADER_BYTES + view.getUint32(8, true) * ENTRY_BYTES;
}

/** Length of the segment with this header. */
export function segmentBytes(header: Uint8Array): number {
  return new DataView(header.buffer, header.byteOffset).getFloat64(16, true);
}

/** Writes a table of the sections, then the sections, into memory that threads share. */
function layOut(sections: readonly Section[]): SharedArrayBuffer {
  let end = HEADER_BYTES + sections.length * ENTRY_BYTES;
  const offsets = sections.map(({ data }) => {
    const offset = aligned(end);
    end = offset + data.byteLength;
    return offset;
  });
  const memory = new SharedArrayBuffer(aligned(end));
  const view = new DataView(memory);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, FORMAT, true);
  view.setUint32(8, sections.length, true);
  view.setFloat64(16, memory.byteLength, true);
  sections.forEach(({ kind, column, data }, index) => {
    const at = HEADER_BYTES + index * ENTRY_BYTES;
    view.setUint32(at, kind, true);
    view.setUint32(at + 4, column, true);
    view.setFloat64(at + 8, offsets[index]!, true);
    view.setFloat64(at + 16, data.byteLength, true);
    new Uint8Array(memory, offsets[index]).set(
      new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    );
  });
  return memory;
}

function aligned(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}

function keyOf(kind: number, column: number): number {
  return column * 256 + kind;
}

/** All parts of a segment, before they are laid out. */
interface SegmentContent {
  readonly documents: DocumentTable;
  readonly frequencies: FrequencyTable;
  readonly terms: StringTable;
  readonly postings: Postings;
  readonly facets: ReadonlyMap<number, FacetColumn>;
  /** As `VocabularyBuilder` gives it. */
  readonly vocabulary: SharedArrayBuffer;
  readonly names: NameBytes;
}

/** The memory of a segment, which `TextSegment` opens. */
export function layOutSegment(content: SegmentContent): SharedArrayBuffer {
  const { vocabulary, postings, names } = content;
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
    section(SECTION.nameBlockStarts, names.blockStarts),
    section(SECTION.nameBlockEntries, names.blockEntries),
    section(SECTION.postings, postings.bytes),
    section(SECTION.positions, postings.positions),
    section(SECTION.names, names.names),
    section(SECTION.nameEntries, names.entries),
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
