import { SEARCH_CHUNKS_MAX } from '#base/search-limits.ts';

/** Where a text is cut, the best first: between paragraphs, lines, sentences, words. */
const CUTS = [/\n\s*\n/gu, /\n/gu, /(?<=[.!?…])\s+|(?<=[。！？])/gu, /\s+/gu];

/**
 * A text in pieces of at most so many UTF-16 units, cut where it hurts least. Blank pieces are left out. The same text gives the
 * same pieces everywhere: their vectors are known by them.
 */
export function chunksOf(text: string, charactersMax: number): string[] {
  const chunks: string[] = [];
  let start = 0;
  while (start < text.length && chunks.length < SEARCH_CHUNKS_MAX) {
    const end = endOf(text, start, charactersMax);
    const chunk = text.slice(start, end).trim();
    if (chunk !== '') chunks.push(chunk.toWellFormed());
    start = end;
  }
  return chunks;
}

function endOf(text: string, start: number, charactersMax: number): number {
  const last = start + charactersMax;
  if (last >= text.length) return text.length;
  const window = text.slice(start, last);
  // An early cut would make many small pieces.
  const earliest = Math.floor(charactersMax / 2);
  for (const cut of CUTS) {
    let end = -1;
    for (const {
      index,
      0: { length },
    } of window.matchAll(cut)) {
      if (index + length >= earliest) end = index + length;
    }
    if (end > 0) return start + end;
  }
  // No half of a pair.
  const isPair = /[\uD800-\uDBFF]/.test(text[last - 1] ?? '');
  return isPair ? last - 1 : last;
}
