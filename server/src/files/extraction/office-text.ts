import { Depth, type TextSink } from './text-sink.ts';
import { type Entry, fromBufferPromise } from 'yauzl';
import { FILE_TEXT_ARCHIVE_ENTRIES_MAX, FILE_TEXT_UNPACKED_BYTES_MAX } from '#base/limits.ts';
import { Parser } from 'htmlparser2';

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

/**
 * The entries of a zip that somebody wants, unpacked, by name. Rejects when they are too many, or
 * too large, whatever the zip says.
 */
async function unpack(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
): Promise<ReadonlyMap<string, Buffer>> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const archive = await fromBufferPromise(buffer, { lazyEntries: true, decodeStrings: true });
  const found = new Map<string, Buffer>();
  let entryCount = 0;
  let room = FILE_TEXT_UNPACKED_BYTES_MAX;
  const entries = archive.eachEntry();
  for (;;) {
    const next = await entries.next();
    if (next.done === true) return found;
    const entry: Entry = next.value;
    if (++entryCount > FILE_TEXT_ARCHIVE_ENTRIES_MAX) {
      throw new Error(`the archive has more than ${FILE_TEXT_ARCHIVE_ENTRIES_MAX} entries`);
    }
    if (!isWanted(entry.fileName) || found.has(entry.fileName)) continue;
    if (entry.isEncrypted()) throw new Error('it is encrypted');
    const parts: Buffer[] = [];
    for await (const part of await archive.openReadStreamPromise(entry)) {
      room -= part.length;
      if (room < 0) throw new Error('the archive unpacks to too much');
      parts.push(part);
    }
    found.set(entry.fileName, Buffer.concat(parts));
  }
}

interface XmlHandlers {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text: (text: string) => void;
  readonly close?: (name: string) => void;
}

const PART_CHARACTERS = 64 * 1024;

/**
 * Reads XML as a stream of tags. No entity is expanded but those of characters, so that none grows.
 */
function readXml(bytes: Buffer, { open, text, close }: XmlHandlers): void {
  const depth = new Depth();
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth.enter();
        open?.(name, attributes);
      },
      ontext: text,
      onclosetag(name) {
        depth.leave();
        close?.(name);
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const source = bytes.toString('utf8');
  for (let at = 0; at < source.length; at += PART_CHARACTERS) {
    parser.write(source.slice(at, at + PART_CHARACTERS));
  }
  parser.end();
}

/** The text in some elements, with what others stand for. */
interface Layout {
  /** Elements whose text is shown; undefined for all. */
  readonly shown?: ReadonlySet<string>;
  /** What an element is when it begins. */
  readonly atOpen: ReadonlyMap<string, string>;
  readonly atClose: ReadonlyMap<string, string>;
}

function addText(bytes: Buffer, sink: TextSink, { shown, atOpen, atClose }: Layout): void {
  let depth = 0;
  readXml(bytes, {
    open(name) {
      if (shown?.has(name) === true) depth++;
      const mark = atOpen.get(name);
      if (mark !== undefined) sink.add(mark);
    },
    text(text) {
      if (shown === undefined || depth > 0) sink.add(text);
    },
    close(name) {
      if (shown?.has(name) === true) depth--;
      const mark = atClose.get(name);
      if (mark !== undefined) sink.add(mark);
    },
  });
}

const STRINGS = 'xl/sharedStrings.xml';
const SHEET = /^xl\/worksheets\/sheet(\d+)\.xml$/;

/** The values of the cells, row by row, as they are stored: dates are numbers there. */
export async function spreadsheetText(bytes: Uint8Array, sink: TextSink): Promise<void> {
  const parts = await unpack(bytes, (name) => name === STRINGS || SHEET.test(name));
  const strings = parts.get(STRINGS);
  const shared = strings === undefined ? [] : sharedStrings(strings);
  const number = (name: string): number => Number(SHEET.exec(name)?.[1]);
  const sheets = [...parts]
    .filter(([name]) => name !== STRINGS)
    .toSorted(([a], [b]) => number(a) - number(b));
  if (sheets.length === 0) throw new Error('it is no document of the kind that it is said to be');
  for (const [, sheet] of sheets) addSheet(sheet, shared, sink);
}

/** Phonetic readings beside a text are no part of it. */
function sharedStrings(bytes: Buffer): string[] {
  const found: string[] = [];
  let parts: string[] = [];
  let isText = false;
  let phonetic = 0;
  readXml(bytes, {
    open(name) {
      if (name === 'si') parts = [];
      if (name === 'rPh') phonetic++;
      if (name === 't') isText = true;
    },
    text(text) {
      if (isText && phonetic === 0) parts.push(text);
    },
    close(name) {
      if (name === 't') isText = false;
      if (name === 'rPh') phonetic--;
      if (name === 'si') found.push(parts.join(''));
    },
  });
  return found;
}

function addSheet(bytes: Buffer, shared: readonly string[], sink: TextSink): void {
  let isShared = false;
  let isValue = false;
  let value: string[] = [];
  readXml(bytes, {
    open(name, { t: kind }) {
      if (name === 'c') {
        isShared = kind === 's';
        value = [];
      }
      if (name === 'v' || name === 't') isValue = true;
    },
    text(text) {
      if (isValue) value.push(text);
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false;
      if (name === 'c') {
        const text = value.join('');
        sink.add(`${isShared ? (shared[Number(text)] ?? '') : text}\t`);
      }
      if (name === 'row') sink.add('\n');
    },
  });
  sink.add('\n');
}
