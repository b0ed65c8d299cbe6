import { getDocumentProxy } from 'unpdf';
import type { TextSink } from './text-sink.ts';

/** Page by page. Nothing in the file is run, and nothing it names is fetched. */
export async function pdfText(bytes: Uint8Array, sink: TextSink): Promise<void> {
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
