import { htmlText, plainText } from './html-text.ts';
import { odfText, presentationText, spreadsheetText, wordText } from './office-text.ts';
import type { TextKind } from './text-kind.ts';
import { EnoughText, TextSink } from './text-sink.ts';
import { getDocumentProxy } from 'unpdf';

export interface ExtractedText {
  readonly text: string;
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
  return { text: sink.toString(), isCut: sink.isCut };
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
    sink.add('\n\n');
    page.cleanup();
  }
}
