/** How text is taken out of a file. */
export type TextKind = 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'odf' | 'html' | 'text';

const BY_TYPE: ReadonlyMap<string, TextKind> = new Map([
  ['application/pdf', 'pdf'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'],
  ['application/vnd.oasis.opendocument.text', 'odf'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'odf'],
  ['application/vnd.oasis.opendocument.presentation', 'odf'],
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['application/json', 'text'],
  ['application/xml', 'text'],
  ['application/x-ndjson', 'text'],
  ['application/yaml', 'text'],
]);

const BY_ENDING: ReadonlyMap<string, TextKind> = new Map([
  ['pdf', 'pdf'],
  ['docx', 'docx'],
  ['xlsx', 'xlsx'],
  ['pptx', 'pptx'],
  ['odt', 'odf'],
  ['ods', 'odf'],
  ['odp', 'odf'],
  ['html', 'html'],
  ['htm', 'html'],
  ['xhtml', 'html'],
  ['txt', 'text'],
  ['md', 'text'],
  ['markdown', 'text'],
  ['csv', 'text'],
  ['tsv', 'text'],
  ['json', 'text'],
  ['jsonl', 'text'],
  ['xml', 'text'],
  ['yaml', 'text'],
  ['yml', 'text'],
  ['log', 'text'],
]);

/**
 * By what the file is said to be, else by how its name ends. Undefined for what has no text, or
 * none that can be taken out.
 */
export function textKindOf(name: string, contentType: string): TextKind | undefined {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const known = BY_TYPE.get(contentType) ?? BY_ENDING.get(ending);
  if (known !== undefined) return known;
  return contentType.startsWith('text/') ? 'text' : undefined;
}
