import { unpack } from './archive.ts';
import type { TextSink } from './text-sink.ts';
import { readXml } from './xml-reader.ts';

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
