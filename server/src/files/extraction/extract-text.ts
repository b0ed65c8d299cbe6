import { Parser } from 'htmlparser2';
import { getDocumentProxy } from 'unpdf';
import { odfText, presentationText, spreadsheetText, wordText } from './office-text.ts';
import type { TextKind } from './text-kind.ts';
import { Depth, EnoughText, TextSink } from './text-sink.ts';

export interface ExtractedText {
  readonly text: string;
  /** Where in the text each page begins; empty for what has no pages. */
  readonly pages: readonly number[];
  /** Whether there was more. */
  readonly isCut: boolean;
}

type Extract = (bytes: Uint8Array, sink: TextSink) => Promise<void> | void;

const EXTRACT: Readonly<Record<TextKind, Extract>> = {
  pdf: pdfText,
  docx: wordText,
  xlsx: spreadsheetText,
  pptx: presentationText,
  odf: odfText,
  html: htmlText,
  text: plainText,
};

/** Rejects with whatever the file does to its reader: it runs in a process of its own. */
export async function extractText(kind: TextKind, bytes: Uint8Array): Promise<ExtractedText> {
  const sink = new TextSink();
  try {
    await EXTRACT[kind](bytes, sink);
  } catch (error) {
    if (!(error instanceof EnoughText)) throw error;
  }
  return { ...sink.finished(), isCut: sink.isCut };
}

/** Page by page. Nothing in the file is run, and nothing it names is fetched. */
async function pdfText(bytes: Uint8Array, sink: TextSink): Promise<void> {
  const pdf = await getDocumentProxy(Uint8Array.from(bytes), {
    enableXfa: false,
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
  });
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    for (const item of items) {
      if ('str' in item) sink.add(item.hasEOL ? `${item.str}\n` : item.str);
    }
    sink.endPage();
    page.cleanup();
  }
}

/** What is in them is not shown. */
const SILENT: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'svg']);
/** They run on in a line. */
const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
);
const PART_CHARACTERS = 64 * 1024;

/**
 * The text of a page, read as a stream of tags: nothing is built of them, however deep they stand
 * in each other.
 */
function htmlText(bytes: Uint8Array, sink: TextSink): void {
  let silent = 0;
  const depth = new Depth();
  const parser = new Parser({
    onopentag(name) {
      depth.enter();
      if (SILENT.has(name)) silent++;
      else if (name === 'td' || name === 'th') sink.add('\t');
      else if (!INLINE.has(name)) sink.add('\n');
    },
    ontext(text) {
      if (silent === 0) sink.add(text.replaceAll(/\s+/g, ' '));
    },
    onclosetag(name) {
      depth.leave();
      if (SILENT.has(name)) silent--;
      else if (name !== 'td' && name !== 'th' && !INLINE.has(name)) sink.add('\n');
    },
  });
  const text = decoded(bytes);
  for (let at = 0; at < text.length; at += PART_CHARACTERS) {
    parser.write(text.slice(at, at + PART_CHARACTERS));
  }
  parser.end();
}

/** UTF-8, UTF-16 with its mark, or what Windows wrote before. Throws for what is no text. */
function plainText(bytes: Uint8Array, sink: TextSink): void {
  sink.add(decoded(bytes));
}

function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.includes(0)) throw new Error('it is no text');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
