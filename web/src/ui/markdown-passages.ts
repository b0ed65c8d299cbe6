import type { MarkedToken, Token, Tokens } from 'marked';
import { known } from './markdown-tokens.ts';

/** A part of a text: its UTF-16 units from `start` to before `end`. */
export interface Passage {
  readonly start: number;
  readonly end: number;
}

export interface PassagePiece {
  readonly text: string;
  /** Place of its passage in the list; undefined outside of all. */
  readonly passage: number | undefined;
  /** Whether its passage ends here. */
  readonly isEnd: boolean;
}

/** What is shown of a token, cut where passages begin and end. */
export type PassagePieces = ReadonlyMap<Token, readonly PassagePiece[]>;

/** Signs between the words of two tokens; longer ones, such as of a table, lose their passages. */
const SIGNS_CHARACTERS_MAX = 2_000;

/**
 * Finds the words of passages in the tokens of their text. The passages are in the order of the
 * text and do not overlap. Tokens have no places, so each is looked for after the one before it;
 * one that is written in another way, such as a cell with an escaped bar, is in no passage.
 */
export function passagePieces(
  text: string,
  tokens: readonly MarkedToken[],
  passages: readonly Passage[],
): PassagePieces {
  const pieces = new Map<Token, PassagePiece[]>();
  if (passages.length === 0) return pieces;
  const ends = new Map<number, { readonly of: PassagePiece[]; readonly at: number }>();
  let first = 0;
  for (const { token, start } of placesOf(text, tokens)) {
    const shown = wordsOf(token);
    while ((passages[first]?.end ?? Infinity) <= start) first++;
    const cut = cutAt(shown, start, passages, first);
    if (cut.every(({ passage }) => passage === undefined)) continue;
    pieces.set(token, cut);
    for (const [at, { passage }] of cut.entries()) {
      if (passage !== undefined) ends.set(passage, { of: cut, at });
    }
  }
  for (const { of, at } of ends.values()) {
    const last = of[at];
    if (last !== undefined) of[at] = { ...last, isEnd: true };
  }
  return pieces;
}

function cutAt(
  words: string,
  start: number,
  passages: readonly Passage[],
  first: number,
): PassagePiece[] {
  const pieces: PassagePiece[] = [];
  let from = 0;
  const add = (to: number, passage: number | undefined) => {
    if (to > from) pieces.push({ text: words.slice(from, to), passage, isEnd: false });
    from = Math.max(from, to);
  };
  for (let at = first; at < passages.length; at++) {
    const passage = passages[at];
    if (passage === undefined || passage.start >= start + words.length) break;
    add(passage.start - start, undefined);
    add(Math.min(passage.end - start, words.length), at);
  }
  add(words.length, undefined);
  return pieces;
}

interface Place {
  readonly token: MarkedToken;
  readonly start: number;
}

function* placesOf(text: string, tokens: readonly MarkedToken[]): Generator<Place> {
  let end = 0;
  for (const token of leavesOf(tokens)) {
    // Lines of code may be indented, and are no part of a passage.
    const lines = token.type === 'code' ? token.text.split('\n') : [wordsOf(token)];
    for (const line of lines) {
      const near = text.slice(end, end + line.length + SIGNS_CHARACTERS_MAX);
      const at = near.indexOf(line);
      if (at === -1) continue;
      if (token.type !== 'code') yield { token, start: end + at };
      end += at + line.length;
    }
  }
}

/** The tokens that have words themselves, in the order of the text. */
function* leavesOf(tokens: readonly MarkedToken[]): Generator<MarkedToken> {
  for (const token of tokens) {
    const parts = partsOf(token);
    if (parts !== undefined) yield* leavesOf(known(parts));
    else if (wordsOf(token) !== '') yield token;
  }
}

function partsOf(token: MarkedToken): readonly Token[] | undefined {
  if (token.type === 'list') return token.items;
  if (token.type === 'table') return [token.header, ...token.rows].flat().flatMap(cellParts);
  return 'tokens' in token ? token.tokens : undefined;
}

function cellParts({ tokens }: Tokens.TableCell): readonly Token[] {
  return tokens;
}

/** Empty for what shows no words. */
function wordsOf(token: MarkedToken): string {
  switch (token.type) {
    case 'text':
    case 'escape':
    case 'codespan':
    case 'code':
      return token.text;
    default:
      return '';
  }
}
