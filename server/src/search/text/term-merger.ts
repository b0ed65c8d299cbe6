import { ESCAPE, type FrequencyCombinations } from './frequency-table.ts';
import {
  afterVariables,
  blockSize,
  documentAt,
  documentWidth,
  variableAt,
} from './postings-block.ts';
import { NO_DOCUMENT } from './postings-cursor.ts';
import type { PostingsWriter } from './postings-writer.ts';
import type { ByteWindow } from './segment-bytes.ts';
import type { Segment } from './segment.ts';

interface TermMergerParts {
  readonly segment: Segment;
  /** Document -> its number in the merged segment, or `NO_DOCUMENT`. */
  readonly renumbering: Uint32Array;
  /** Field -> its number in the merged segment, or -1. */
  readonly fields: Int16Array;
  readonly combinations: FrequencyCombinations;
  readonly writer: PostingsWriter;
}

/** Writes the postings of one source, term by term, into a merged segment. Positions are copied as they are. */
export class TermMerger {
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

  /** Has the writer know the fields and frequencies of a code. */
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
