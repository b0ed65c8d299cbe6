import type { DocumentTable } from './document-table.ts';
import { type FacetColumn, type Ordinals, ordinalBytes } from './facet-column.ts';
import { FrequencyTable } from './frequency-table.ts';
import { NameTable } from './names/name-table.ts';
import { FileBytes, type FilePages, ResidentBytes, type SegmentBytes } from './segment-bytes.ts';
import { SECTION, SegmentLayout, segmentBytes } from './segment-layout.ts';
import { StringTable } from './string-table.ts';
import { Vocabulary } from './vocabulary/vocabulary.ts';

/**
 * An immutable part of the index, open for reading. Threads share its memory. Postings,
 * positions and names are in memory, or are read from a file block by block.
 */
export class TextSegment {
  readonly memory: SharedArrayBuffer;
  /** Bytes of the whole segment, in memory or not. */
  readonly bytes: number;
  /** Bytes that are always in memory. */
  readonly residentBytes: number;
  readonly documents: DocumentTable;
  readonly frequencies: FrequencyTable;
  readonly terms: StringTable;
  readonly termBlocks: Uint32Array;
  readonly termDocumentCounts: Uint32Array;
  readonly termWeights: Float32Array;
  readonly blockLasts: Uint32Array;
  readonly blockStarts: Uint32Array;
  readonly blockWeights: Float32Array;
  readonly blockPositions: Uint32Array;
  readonly facets: ReadonlyMap<number, FacetColumn>;
  readonly vocabulary: Vocabulary;
  readonly postings: SegmentBytes;
  readonly positions: SegmentBytes;
  readonly names: NameTable;

  /**
   * Opens the result of `SegmentBuilder` or `mergeSegments`. With `pages` of the file, `memory`
   * needs only the first `residentBytes`.
   */
  constructor(memory: SharedArrayBuffer, pages?: FilePages) {
    const head = new Uint8Array(memory);
    const layout = new SegmentLayout(head);
    const sections = new Sections(memory, layout);
    this.memory = memory;
    this.bytes = segmentBytes(head);
    this.residentBytes = layout.residentBytes;
    this.documents = documentsIn(sections);
    this.frequencies = new FrequencyTable(
      sections.u32(SECTION.combinationStarts),
      sections.u16(SECTION.combinationFields),
      sections.u32(SECTION.combinationFrequencies),
      sections.f64(SECTION.combinationCounts),
    );
    this.terms = new StringTable(
      sections.u32(SECTION.termOffsets),
      sections.u16(SECTION.termUnits),
    );
    this.termBlocks = sections.u32(SECTION.termBlocks);
    this.termDocumentCounts = sections.u32(SECTION.termDocumentCounts);
    this.termWeights = sections.f32(SECTION.termWeights);
    this.blockLasts = sections.u32(SECTION.blockLasts);
    this.blockStarts = sections.u32(SECTION.blockStarts);
    this.blockWeights = sections.f32(SECTION.blockWeights);
    this.blockPositions = sections.u32(SECTION.blockPositions);
    this.facets = new Map(layout.facetColumns.map((column) => [column, facetIn(sections, column)]));
    this.vocabulary = new Vocabulary(memory, layout.place(SECTION.vocabulary).offset);
    this.postings = bytesOf(memory, layout.place(SECTION.postings), pages);
    this.positions = bytesOf(memory, layout.place(SECTION.positions), pages);
    this.names = new NameTable({
      blockStarts: sections.u32(SECTION.nameBlockStarts),
      blockEntries: sections.u32(SECTION.nameBlockEntries),
      names: bytesOf(memory, layout.place(SECTION.names), pages),
      entries: bytesOf(memory, layout.place(SECTION.nameEntries), pages),
      documentCount: this.documents.count,
    });
  }

  /** The document of a node written last, or -1. It may be deleted: tombstones are separate. */
  documentOf(node: number): number {
    const { nodes, byNode, count } = this.documents;
    // Nodes that are new are mostly above all others; a type is walked through from its newest node
    // down.
    if (count === 0 || node > nodes[byNode[count - 1]!]! || node < nodes[byNode[0]!]!) return -1;
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (nodes[byNode[middle]!]! <= node) low = middle + 1;
      else high = middle;
    }
    const document = low > 0 ? byNode[low - 1]! : -1;
    return document >= 0 && nodes[document] === node ? document : -1;
  }
}

class Sections {
  readonly #memory: SharedArrayBuffer;
  readonly #layout: SegmentLayout;

  constructor(memory: SharedArrayBuffer, layout: SegmentLayout) {
    this.#memory = memory;
    this.#layout = layout;
  }

  u8(kind: Kind, column = 0): Uint8Array {
    const { offset, length } = this.#layout.place(kind, column);
    return new Uint8Array(this.#memory, offset, length);
  }

  u16(kind: Kind, column = 0): Uint16Array {
    const { offset, length } = this.#layout.place(kind, column);
    return new Uint16Array(this.#memory, offset, length / 2);
  }

  u32(kind: Kind, column = 0): Uint32Array {
    const { offset, length } = this.#layout.place(kind, column);
    return new Uint32Array(this.#memory, offset, length / 4);
  }

  ordinals(column: number, valueCount: number): Ordinals {
    const bytes = ordinalBytes(valueCount);
    if (bytes === 1) return this.u8(SECTION.facetOrdinals, column);
    if (bytes === 2) return this.u16(SECTION.facetOrdinals, column);
    return this.u32(SECTION.facetOrdinals, column);
  }

  f32(kind: Kind): Float32Array {
    const { offset, length } = this.#layout.place(kind);
    return new Float32Array(this.#memory, offset, length / 4);
  }

  f64(kind: Kind): Float64Array {
    const { offset, length } = this.#layout.place(kind);
    return new Float64Array(this.#memory, offset, length / 8);
  }
}

type Kind = Parameters<SegmentLayout['place']>[0];

function documentsIn(sections: Sections): DocumentTable {
  const names = new StringTable(
    sections.u32(SECTION.languageOffsets),
    sections.u16(SECTION.languageUnits),
  );
  const nodes = sections.f64(SECTION.nodes);
  return {
    count: nodes.length,
    nodes,
    byNode: sections.u32(SECTION.byNode),
    timestampsMs: sections.f64(SECTION.timestampsMs),
    types: sections.u16(SECTION.types),
    typeIds: sections.u16(SECTION.typeIds),
    languages: sections.u16(SECTION.languages),
    languageNames: Array.from({ length: names.size }, (_, index) => names.get(index)),
    lengthStarts: sections.u32(SECTION.lengthStarts),
    lengthFields: sections.u16(SECTION.lengthFields),
    lengthCodes: sections.u8(SECTION.lengthCodes),
    lengthColumns: sections.u8(SECTION.lengthColumns),
    fields: {
      ids: sections.u16(SECTION.fieldIds),
      boosts: sections.f64(SECTION.fieldBoosts),
      documentCounts: sections.f64(SECTION.fieldDocumentCounts),
      lengthSums: sections.f64(SECTION.fieldLengthSums),
      columns: sections.u16(SECTION.fieldColumns),
      types: sections.u16(SECTION.fieldTypes),
    },
  };
}

function facetIn(sections: Sections, column: number): FacetColumn {
  const values = new StringTable(
    sections.u32(SECTION.facetOffsets, column),
    sections.u16(SECTION.facetUnits, column),
  );
  const starts = sections.u32(SECTION.facetStarts, column);
  return { values, starts, ordinals: sections.ordinals(column, values.size) };
}

function bytesOf(
  memory: SharedArrayBuffer,
  { offset, length }: { readonly offset: number; readonly length: number },
  pages: FilePages | undefined,
): SegmentBytes {
  if (pages !== undefined) return new FileBytes(pages, offset, length);
  return new ResidentBytes(new Uint8Array(memory, offset, length));
}
