import { EXTRACTION_BATCH_CHARACTERS_MAX } from '#base/assistant-limits.ts';

/** A part of a text. */
export interface TextBatch {
  readonly start: number;
  readonly end: number;
}

/** Where a text is cut, the best first: between paragraphs, lines, sentences and words. */
const CUTS = ['\n\n', '\n', '. ', ' '] as const;

/** The parts of a text, which together are all of it: the same for the same text. */
export function batchesOf(text: string, most = EXTRACTION_BATCH_CHARACTERS_MAX): TextBatch[] {
  const batches: TextBatch[] = [];
  for (let start = 0; start < text.length;) {
    const end = endOf(text, start, most);
    if (text.slice(start, end).trim() !== '') batches.push({ start, end });
    start = end;
  }
  return batches;
}

function endOf(text: string, start: number, most: number): number {
  if (text.length - start <= most) return text.length;
  const last = start + most;
  for (const cut of CUTS) {
    const at = text.lastIndexOf(cut, last - cut.length);
    if (at > start + most / 2) return at + cut.length;
  }
  // Never between the two halves of one character.
  return /[\ud800-\udbff]/.test(text[last - 1] ?? '') ? last - 1 : last;
}

/** The page of a place in a text, from 1; null for a text without pages. */
export function pageAt(pages: readonly number[], place: number): number | null {
  if (pages.length === 0) return null;
  // Of several pages that begin at one place, all but the last are empty.
  return Math.max(1, pages.findLastIndex((start) => start <= place) + 1);
}
