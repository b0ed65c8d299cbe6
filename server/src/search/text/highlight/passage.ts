import { SEARCH_SNIPPET_CHARACTERS_MAX } from '#base/search-limits.ts';

/** UTF-16 offsets in a text, the end excluded. */
export interface Passage {
  readonly start: number;
  readonly end: number;
}

const WORDS = new Intl.Segmenter('und', { granularity: 'word' });
const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });
const SENTENCE_END = /[.!?…。！？\n]\s*$/u;
/** Text on both sides of what is cut up, so that the boundaries within do not depend on where it begins. */
const MARGIN_CHARACTERS = 64;

/**
 * The passage of a text around `core`, of at most `SEARCH_SNIPPET_CHARACTERS_MAX`: with as much before as behind, from the
 * begin of a sentence where there is one, otherwise between words, and never within what a reader takes for one character.
 */
export function fittedTo(text: string, core: Passage): Passage {
  const max = SEARCH_SNIPPET_CHARACTERS_MAX;
  const slack = Math.max(0, max - (core.end - core.start));
  const earliest = Math.max(0, Math.min(core.start - (slack >> 1), text.length - max));
  const start = startOf(text, earliest, core.start);
  return { start, end: endOf(text, start, Math.min(core.end, start + max), start + max) };
}

function startOf(text: string, earliest: number, latest: number): number {
  if (earliest === 0) return 0;
  const starts = boundaries(WORDS, text, earliest, latest).filter(
    (at) => at >= earliest && at <= latest && !/\s/.test(text[at] ?? ' '),
  );
  const isSentenceStart = (at: number): boolean =>
    SENTENCE_END.test(text.slice(Math.max(0, at - MARGIN_CHARACTERS), at));
  return starts.find(isSentenceStart) ?? starts[0] ?? latest;
}

function endOf(text: string, start: number, earliest: number, latest: number): number {
  if (latest >= text.length) return text.length;
  const isBetween = (at: number): boolean => at >= earliest && at <= latest;
  const word = boundaries(WORDS, text, earliest, latest).findLast(isBetween);
  const end =
    word ??
    boundaries(GRAPHEMES, text, start, latest).findLast((at) => at > start && at <= latest) ??
    codePointStart(text, latest);
  const shown = text.slice(start, end).trimEnd();
  return Math.max(start + shown.length, Math.min(earliest, end));
}

/** Boundaries of segments near `[from, to]`, ascending. */
function boundaries(segmenter: Intl.Segmenter, text: string, from: number, to: number): number[] {
  const begin = codePointStart(text, Math.max(0, from - MARGIN_CHARACTERS));
  const piece = text.slice(begin, codePointStart(text, to + MARGIN_CHARACTERS));
  const found = Array.from(segmenter.segment(piece), ({ index }) => begin + index);
  // Where the piece begins is no boundary of the text, unless the text begins there.
  return begin === 0 ? found : found.slice(1);
}

/** The offset itself, or the one before it when it would split a pair of surrogates. */
function codePointStart(text: string, at: number): number {
  const isInsidePair = at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff;
  return isInsidePair ? at - 1 : at;
}
