import { expect, it } from 'vitest';
import { FILE_TEXT_CHARACTERS_MAX, FILE_TEXT_UNPACKED_BYTES_MAX } from '#base/limits.ts';
import { pdfBomb, pdfDocument, wordDocument, zipOf } from '../testing/documents.ts';
import { extractInProcess, type Extraction } from './extraction-process.ts';
import { textKindOf, type TextKind } from './text-kind.ts';

const { signal } = new AbortController();

function extract(kind: TextKind, content: string | Buffer, timeoutMs = 60_000) {
  return extractInProcess(kind, Buffer.from(content), signal, timeoutMs);
}

const textOf = (found: Extraction): string => ('text' in found ? found.text : found.failure);

it.each<[string, string, TextKind | undefined]>([
  ['a.pdf', 'application/octet-stream', 'pdf'],
  ['A.PDF', '', 'pdf'],
  ['plan', 'application/pdf', 'pdf'],
  ['a.docx', 'application/octet-stream', 'docx'],
  ['a.ods', 'application/octet-stream', 'odf'],
  ['README.md', 'application/octet-stream', 'text'],
  ['a.c', 'text/x-c', 'text'],
  ['a.html', 'text/html', 'html'],
  ['a.png', 'image/png', undefined],
  ['a', 'application/octet-stream', undefined],
  ['pdf', 'application/octet-stream', undefined],
])('%s of type %j is read as %s', (name, type, kind) => {
  expect(textKindOf(name, type)).toBe(kind);
});

it('takes text out of PDF, page by page', async () => {
  const pdf = pdfDocument('The harbour plan', 'Second page');
  expect(textOf(await extract('pdf', pdf))).toBe('The harbour plan\n\nSecond page');
});

it('takes text out of Office documents', async () => {
  const word = await wordDocument('Tom &amp; Jerry', 'second &#228; line');
  expect(textOf(await extract('docx', word))).toBe('Tom & Jerry\nsecond ä line');
  const sheet = await zipOf({
    'xl/sharedStrings.xml':
      '<sst><si><t>Name</t></si><si><r><t>Ha</t></r><r><t>fen</t></r><rPh><t>no</t></rPh></si></sst>',
    'xl/worksheets/sheet2.xml': '<sheetData><row><c><v>7</v></c></row></sheetData>',
    'xl/worksheets/sheet1.xml':
      '<sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row><c><v>42</v></c><c t="inlineStr"><is><t>in</t></is></c></row></sheetData>',
  });
  expect(textOf(await extract('xlsx', sheet))).toBe('Name\tHafen\n42\tin\n\n7');
  const slide = (text: string) => `<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`;
  const slides = await zipOf({
    'ppt/slides/slide10.xml': slide('tenth'),
    'ppt/slides/slide2.xml': slide('second'),
    'ppt/notesSlides/notesSlide2.xml': slide('note'),
  });
  expect(textOf(await extract('pptx', slides))).toBe('second\nnote\ntenth');
  const open = await zipOf({
    'content.xml':
      '<office:text><text:h>Title</text:h><text:p>A<text:s/>line<text:tab/>on</text:p></office:text>',
  });
  expect(textOf(await extract('odf', open))).toBe('Title\nA line\ton');
});

it('takes text out of pages and plain text, however it is written', async () => {
  const page =
    '<!doctype html><title>T</title><style>x{}</style><script>evil()</script><p>One <b>bo</b>ld<p>two &amp; 3<table><tr><td>a<td>b</table>';
  expect(textOf(await extract('html', page))).toBe('T\n\nOne bold\n\ntwo & 3\n\na\tb');
  expect(textOf(await extract('text', 'a\r\nb\u0000'.replace('\u0000', '\u0007')))).toBe('a\nb');
  expect(textOf(await extract('text', Buffer.from('\ufeffHäfen', 'utf16le')))).toBe('Häfen');
  expect(textOf(await extract('text', Buffer.from('Häfen', 'latin1')))).toBe('Häfen');
  expect(await extract('text', Buffer.from([1, 0, 2]))).toEqual({
    failure: 'it is no text',
    isFinal: true,
  });
});

it('keeps no more than so much text', async () => {
  const found = await extract('text', 'word '.repeat(FILE_TEXT_CHARACTERS_MAX));
  expect(found).toMatchObject({ isCut: true });
  expect(textOf(found).length).toBeLessThanOrEqual(FILE_TEXT_CHARACTERS_MAX);
});

it.each<[string, TextKind, () => Promise<Buffer> | Buffer]>([
  ['no PDF', 'pdf', () => Buffer.from('hello')],
  ['half a PDF', 'pdf', () => Buffer.from('%PDF-1.7\n1 0 obj\n<< /Type /Catalog')],
  ['no archive', 'docx', () => Buffer.from('hello')],
  ['half an archive', 'docx', async () => (await wordDocument('a')).subarray(0, 60)],
  ['an archive of something else', 'docx', () => zipOf({ 'a.txt': 'a' })],
  [
    'an archive that unpacks to too much',
    'docx',
    () => zipOf({ 'word/document.xml': Buffer.alloc(FILE_TEXT_UNPACKED_BYTES_MAX + 1) }),
  ],
  ['nothing', 'pdf', () => Buffer.alloc(0)],
])('%s fails, and says why', async (_, kind, content) => {
  expect(await extract(kind, await content())).toEqual({
    failure: expect.stringMatching(/\w/),
    isFinal: true,
  });
});

it('does not follow pages and documents that are nested very deeply', async () => {
  const failure = 'it is nested too deeply';
  const nested = `${'<div>'.repeat(1_000_000)}deep`;
  expect(await extract('html', nested)).toEqual({ failure, isFinal: true });
  const xml = `<w:p>${'<w:x>'.repeat(200_000)}<w:t>deep</w:t>`;
  const document = await zipOf({ 'word/document.xml': xml });
  expect(await extract('docx', document)).toEqual({ failure, isFinal: true });
});

it('expands no entities of a document', async () => {
  const declared = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>';
  const document = await zipOf({
    'word/document.xml': `${declared}<w:p><w:t>&b;&b;</w:t></w:p>`,
  });
  expect(textOf(await extract('docx', document))).not.toContain('aaaa');
});

it('ends a process that takes too long, and one that takes too much memory', async () => {
  const late = await extract('pdf', pdfDocument('a'), 1);
  expect(late).toEqual({ failure: expect.stringContaining('took longer'), isFinal: true });
  const bomb = await extract('pdf', pdfBomb(200 * 1024 * 1024));
  expect(bomb).toMatchObject({ isFinal: true });
});

it('stops when it is told to', async () => {
  const stop = new AbortController();
  const extracting = extractInProcess('pdf', pdfDocument('a'), stop.signal);
  stop.abort(new Error('the server stops'));
  await expect(extracting).rejects.toThrow('the server stops');
});
