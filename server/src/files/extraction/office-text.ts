import { unpack } from './archive.ts';
import { addText, type Layout } from './xml-reader.ts';
import type { TextSink } from './text-sink.ts';

const WORD: Layout = {
  shown: new Set(['w:t']),
  atOpen: new Map([
    ['w:tab', '\t'],
    ['w:br', '\n'],
    ['w:cr', '\n'],
  ]),
  atClose: new Map([
    ['w:p', '\n'],
    ['w:tc', '\t'],
  ]),
};
const SLIDES: Layout = {
  shown: new Set(['a:t']),
  atOpen: new Map([['a:br', '\n']]),
  atClose: new Map([
    ['a:p', '\n'],
    ['a:tc', '\t'],
  ]),
};
const OPEN_DOCUMENT: Layout = {
  atOpen: new Map([
    ['text:tab', '\t'],
    ['text:s', ' '],
    ['text:line-break', '\n'],
  ]),
  atClose: new Map([
    ['text:p', '\n'],
    ['text:h', '\n'],
    ['table:table-cell', '\t'],
    ['table:table-row', '\n'],
  ]),
};

const WORD_PARTS = /^word\/(?:document|footnotes|endnotes|comments|header\d*|footer\d*)\.xml$/;
const SLIDE_PARTS = /^ppt\/(?:slides\/slide|notesSlides\/notesSlide)(\d+)\.xml$/;

/** The document goes before what stands around it. */
export async function wordText(bytes: Uint8Array, sink: TextSink): Promise<void> {
  const parts = await partsOf(bytes, WORD_PARTS, 'word/document.xml');
  const rank = (name: string): number => (name === 'word/document.xml' ? 0 : 1);
  const inOrder = [...parts].toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
  for (const [, part] of inOrder) addText(part, sink, WORD);
}

/** Slide by slide, each with its notes. */
export async function presentationText(bytes: Uint8Array, sink: TextSink): Promise<void> {
  const parts = await partsOf(bytes, SLIDE_PARTS, undefined);
  const number = (name: string): number => Number(SLIDE_PARTS.exec(name)?.[1]);
  const inOrder = [...parts].toSorted(
    ([a], [b]) => number(a) - number(b) || Number(a < b) - Number(b < a),
  );
  for (const [, part] of inOrder) addText(part, sink, SLIDES);
}

/** Text, tables and presentations of OpenDocument. */
export async function odfText(bytes: Uint8Array, sink: TextSink): Promise<void> {
  const parts = await partsOf(bytes, /^content\.xml$/, 'content.xml');
  for (const part of parts.values()) addText(part, sink, OPEN_DOCUMENT);
}

async function partsOf(
  bytes: Uint8Array,
  wanted: RegExp,
  needed: string | undefined,
): Promise<ReadonlyMap<string, Buffer>> {
  const parts = await unpack(bytes, (name) => wanted.test(name));
  const isThere = needed === undefined ? parts.size > 0 : parts.has(needed);
  if (!isThere) throw new Error('it is no document of the kind that it is said to be');
  return parts;
}
