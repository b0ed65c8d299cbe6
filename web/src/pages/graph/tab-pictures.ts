import { GraphFormatError } from './graph-file.ts';

/** Of pictures that are too large for an address, as `packGraph` makes them, by a number. */
const KEY = 'trellis.graph:';
/** Before the number in an address, where the router would read digits alone as no text. */
const MARK = 'tab-';
/** The oldest goes when there are more: the room of a tab is limited. */
const KEPT_MAX = 3;

/** What an address calls it; undefined where the tab has no room. */
export function keepInTab(text: string): string | undefined {
  const numbers = Object.keys(sessionStorage)
    .filter((key) => key.startsWith(KEY))
    .map((key) => Number(key.slice(KEY.length)))
    .toSorted((a, b) => a - b);
  const number = (numbers.at(-1) ?? 0) + 1;
  for (const old of numbers.slice(0, Math.max(0, numbers.length + 1 - KEPT_MAX))) {
    sessionStorage.removeItem(KEY + old);
  }
  try {
    sessionStorage.setItem(KEY + number, text);
    return MARK + number;
  } catch {
    return undefined;
  }
}

/** Throws `GraphFormatError` where this tab has no such picture. */
export function pictureOfTab(kept: string): string {
  const text = sessionStorage.getItem(KEY + kept.slice(MARK.length));
  if (text !== null) return text;
  throw new GraphFormatError(
    'This picture is too large for an address: only the tab in which it was drawn has it. Export it there as JSON.',
  );
}
