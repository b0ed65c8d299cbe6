import { htmlText } from './html-text.ts';
import { odfText, presentationText, wordText } from './office-text.ts';
import { pdfText } from './pdf-text.ts';
import { plainText } from './plain-text.ts';
import { spreadsheetText } from './spreadsheet-text.ts';
import type { TextKind } from './text-kind.ts';
import { EnoughText, TextSink } from './text-sink.ts';

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
