import { setImmediate } from 'node:timers/promises';

/** A secret whose value goes out with a request, and must not come back with the answer. */
export interface SentSecret {
  readonly name: string;
  readonly value: string;
}

/** Shorter parts of a value, such as the password in it, may well stand there by chance. */
const PART_CHARACTERS_MIN = 8;
/** How often texts are escaped within each other, such as JSON in JSON. */
const DEPTH_MAX = 3;
/**
 * A text is looked through in slices, with other work in between. They overlap by more than the
 * longest value takes, with so many characters for each of its own.
 */
const SLICE_CHARACTERS = 128 * 1024;
const ESCAPE_CHARACTERS = 16;

/**
 * Takes the values out of texts of an answer, and puts `[secret NAME]` in their place: as they are;
 * escaped as in JSON, HTML or a URL, also in each other; in base64, wherever they begin in it; and
 * in hexadecimal; in any case of letters, and broken into lines. Where the value itself is base64
 * of a text, as for the scheme Basic, that text and the password in it likewise. Other forms, such
 * as parts of a value or its hash, are not found.
 */
export function masking(secrets: readonly SentSecret[]): (text: string) => Promise<string> {
  const sought = secrets.map(({ name, value }) => ({
    mask: `[secret ${name}]`,
    forms: formsOf(value),
  }));
  const longest = Math.max(...secrets.map(({ value }) => value.length));
  const overlap = longest * ESCAPE_CHARACTERS;
  return async (text) => {
    const places: Place[] = [];
    for (let start = 0; ; start += SLICE_CHARACTERS - overlap) {
      const slice = text.slice(start, start + SLICE_CHARACTERS);
      for (const { mask, forms } of sought) {
        for (const range of rangesOf(slice, forms)) {
          places.push({ start: start + range.start, end: start + range.end, mask });
        }
      }
      if (start + SLICE_CHARACTERS >= text.length) break;
      await setImmediate();
    }
    return withMasks(text, places);
  };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Place extends Range {
  readonly mask: string;
}

function withMasks(text: string, places: readonly Place[]): string {
  let masked = '';
  let end = 0;
  for (const place of places.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    // What overlaps is covered by the mask of the first.
    if (place.start >= end) masked += text.slice(end, place.start) + place.mask;
    end = Math.max(end, place.end);
  }
  return masked + text.slice(end);
}

/** What is looked for: as it stands in a folded text, and in one that was unescaped. */
function formsOf(value: string): readonly string[] {
  const forms = [value, ...partsOf(value)].flatMap((text) => [
    fold(text),
    unescaped(fold(text), ALL_ESCAPES).text,
    ...base64Windows(text).map(fold),
    Buffer.from(text).toString('hex'),
  ]);
  return [...new Set(forms.map(withoutEdges))].filter((form) => form.length >= PART_CHARACTERS_MIN);
}

/** A backslash at an edge may be one half of an escape: where it is left JSON stays JSON. */
function withoutEdges(form: string): string {
  const rest = form.replaceAll(/^\\+|\\+$/g, '');
  return rest.length >= PART_CHARACTERS_MIN ? rest : form;
}

/** What the scheme Basic encodes in a value: user and password together, and the password. */
function partsOf(value: string): string[] {
  const text = Buffer.from(value, 'base64').toString('latin1');
  const again = Buffer.from(text, 'latin1').toString('base64');
  if (again.replace(/=+$/, '') !== value.replace(/=+$/, '') || !/^[\x20-\x7e]*$/.test(text))
    return [];
  const password = text.includes(':') ? [text.slice(text.indexOf(':') + 1)] : [];
  return [text, ...password].filter((part) => part.length >= PART_CHARACTERS_MIN);
}

/**
 * What base64 of any text that holds this one has in it, by where the text begins among the bytes:
 * of the characters at its ends, which other bytes have a part in, none.
 */
function base64Windows(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return encoded.slice(
      Math.ceil((before * 8) / 6),
      Math.floor(((before + bytes.length) * 8) / 6),
    );
  });
}

function rangesOf(text: string, forms: readonly string[]): Range[] {
  const outermost: Unescaped = { text: fold(text), rangeOf: (start, end) => ({ start, end }) };
  const outer = [outermost, ...layersBelow(outermost, LINE_ENDS)];
  const inner = outer.flatMap((layer) => ESCAPES.flatMap((escape) => layersBelow(layer, escape)));
  return [...outer, ...inner].flatMap((layer) => placesIn(layer, forms));
}

function placesIn(layer: Unescaped, forms: readonly string[]): Range[] {
  const ranges: Range[] = [];
  for (const form of forms) {
    let at = layer.text.indexOf(form);
    while (at >= 0) {
      ranges.push(layer.rangeOf(at, at + form.length));
      at = layer.text.indexOf(form, at + form.length);
    }
  }
  return ranges;
}

/** The text with its escapes taken off, once, twice and so on, as long as it has some. */
function layersBelow(outermost: Unescaped, escape: RegExp): Unescaped[] {
  const layers: Unescaped[] = [];
  let outer = outermost;
  while (layers.length < DEPTH_MAX) {
    const inner = unescaped(outer.text, escape);
    if (inner.text === outer.text) break;
    const { rangeOf } = outer;
    outer = {
      text: inner.text,
      rangeOf: (start, end) => {
        const range = inner.rangeOf(start, end);
        return rangeOf(range.start, range.end);
      },
    };
    layers.push(outer);
  }
  return layers;
}

/**
 * Characters that stand for each other in a form, in the alphabets of base64, or in the case of
 * letters become the same. As long as it was.
 */
function fold(text: string): string {
  return text
    .replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .replaceAll('+', ' ')
    .replaceAll('-', ' ')
    .replaceAll('_', '/');
}

const OF_JSON = String.raw`\\(?:u(?<unicode>[0-9a-f]{4})|(?<plain>.))`;
const OF_URLS = '%(?<percent>[0-7][0-9a-f])';
const OF_HTML =
  '&(?:#0*(?<decimal>[0-9]{1,3})|#x0*(?<hex>[0-9a-f]{1,2})|(?<named>amp|lt|gt|quot|apos));';
/** Ends of lines, as mail has them in base64 and in quoted-printable: they stand for nothing. */
const LINE_ENDS = /=?(?:[\r\n]|\\[rn])+/g;
const ALL_ESCAPES = new RegExp([OF_JSON, OF_URLS, OF_HTML].join('|'), 'gs');

/** All kinds together, and each by itself, as what one has left may look like another. */
const ESCAPES = [
  ALL_ESCAPES,
  ...[OF_JSON, OF_URLS, OF_HTML].map((escape) => new RegExp(escape, 'gs')),
];

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

interface Unescaped {
  readonly text: string;
  /** Where a part of the text stands in that which was unescaped, whole escapes only. */
  rangeOf(start: number, end: number): Range;
}

/** Takes one layer of escapes off a folded text. */
function unescaped(source: string, escape: RegExp): Unescaped {
  const pieces: string[] = [];
  /** Where each piece begins in the text, and in the source; each escape is a piece. */
  const starts: number[] = [];
  const sources: number[] = [];
  let length = 0;
  const add = (piece: string, at: number): void => {
    pieces.push(piece);
    starts.push(length);
    sources.push(at);
    length += piece.length;
  };
  let end = 0;
  for (const match of source.matchAll(escape)) {
    if (match.index > end) add(source.slice(end, match.index), end);
    add(characterOf(match), match.index);
    end = match.index + match[0].length;
  }
  if (pieces.length === 0)
    return { text: source, rangeOf: (from, to) => ({ start: from, end: to }) };
  if (end < source.length) add(source.slice(end), end);
  /** The source of one character of the text. */
  const rangeAt = (at: number): Range => {
    const piece = lastUpTo(starts, at);
    const start = sources[piece] ?? 0;
    const pieceEnd = sources[piece + 1] ?? source.length;
    const isAsItIs = pieces[piece]?.length === pieceEnd - start;
    const own = start + at - (starts[piece] ?? 0);
    return isAsItIs ? { start: own, end: own + 1 } : { start, end: pieceEnd };
  };
  return {
    text: pieces.join(''),
    rangeOf: (from, to) => ({ start: rangeAt(from).start, end: rangeAt(to - 1).end }),
  };
}

function characterOf({ groups = {} }: RegExpExecArray): string {
  const { unicode, plain, percent, decimal, hex, named } = groups;
  if (named !== undefined) return NAMED[named] ?? '';
  if (decimal !== undefined) return fold(String.fromCharCode(Number(decimal)));
  const code = unicode ?? percent ?? hex;
  return code === undefined ? (plain ?? '') : fold(String.fromCharCode(Number.parseInt(code, 16)));
}

/** The place of the last number, of rising ones, that is not above. */
function lastUpTo(numbers: readonly number[], above: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= above) low = middle;
    else high = middle - 1;
  }
  return low;
}
