import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { FILE_TYPE } from '#graph/file-nodes.ts';
import type { WriterOperation, NodeReference } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { UPLOAD_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';

/** What a file is, without what is in it. */
export interface StoredFile {
  readonly UID: string;
  readonly name: string;
  /** Where the admin agent finds it; empty for files of other nodes. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
  /** Hexadecimal. */
  readonly sha256: string;
  /** ISO 8601. */
  readonly uploadedAt: string;
  /** UID of a user. */
  readonly uploadedBy: string | null;
  /** Null where no text is looked for. */
  readonly textState: TextState | null;
  /** Why there is no text. */
  readonly textError: string | null;
}

/** `pending`: not looked at yet. `unsupported`: nothing that text is taken out of. */
export type TextState = 'pending' | 'extracted' | 'failed' | 'unsupported';

/** The node that files belong to; each name is there once. */
export type FileFolder = Exclude<NodeReference, string>;

export function fileKey(of: FileFolder, name: string): string {
  return `${of.uid ?? of.key}/${name}`;
}

export function fileReference(of: FileFolder, name: string) {
  return { type: FILE_TYPE, key: fileKey(of, name) };
}

export function readStoredFile(reader: GraphReader, id: number): StoredFile {
  const { values } = must(reader.fields(id, FIELDS), 'the node of a file');
  const [UID, name, path, size, contentType, sha256, uploadedAt, uploadedBy, state, error] = values;
  return {
    UID: String(UID),
    name: String(name),
    path: String(path ?? ''),
    size: Number(size),
    contentType: String(contentType),
    sha256: String(sha256),
    uploadedAt: String(uploadedAt),
    uploadedBy: typeof uploadedBy === 'string' ? uploadedBy : null,
    textState: isTextState(state) ? state : null,
    textError: typeof error === 'string' ? error : null,
  };
}

const FIELDS = [
  'UID',
  'Name',
  'Path',
  'Size',
  'ContentType',
  'Sha256',
  'Timestamp',
  'UploadedBy',
  'TextState',
  'TextError',
];

const STATES: readonly unknown[] = ['pending', 'extracted', 'failed', 'unsupported'];

function isTextState(value: unknown): value is TextState {
  return STATES.includes(value);
}

/** The fields of an entry that say where its content is, and which. */
export interface ContentFields {
  readonly size: number;
  readonly sha256: string;
  readonly content: string;
  readonly chunks: number;
}

/** The node of a file: refused when there is one of its name. */
export function writeEntry(
  of: FileFolder,
  file: { readonly name: string; readonly contentType: string },
  { size, sha256, content, chunks }: ContentFields,
  more: Readonly<Record<string, string | null>>,
): WriterOperation {
  const { name, contentType } = file;
  const fields = { Name: name, Size: size, ContentType: contentType, Sha256: sha256 };
  return {
    op: 'addOrUpdate',
    ...fileReference(of, name),
    fields: { ...fields, Content: content, Chunks: chunks, ...more },
    ifVersion: 0,
  };
}

export function fileExists({ UID, name, path, size, contentType }: StoredFile): Problem {
  const where = path === '' ? { Name: name } : { name, path };
  const entry = { UID, Size: size, ContentType: contentType, ...where };
  return new Problem('file_exists', `There is a file "${name}" already.`, { details: { entry } });
}

/** Slashes of any system, and what moves a cursor instead of being seen. */
const REFUSED = /[/\\\p{Cc}\p{Zl}\p{Zp}]/u;
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}$/;
const ANY_MEDIA_TYPE = 'application/octet-stream';

/** Throws `invalid_request` for what is no name of a file in one folder. */
export function checkFileName(name: string): void {
  const isName = name.trim() !== '' && name !== '.' && name !== '..' && name.isWellFormed();
  if (!isName || REFUSED.test(name)) {
    throw invalidName('must be text without slashes and control characters');
  }
  if (name.length > UPLOAD_NAME_CHARACTERS_MAX) {
    throw invalidName(`must have at most ${UPLOAD_NAME_CHARACTERS_MAX} characters`);
  }
}

/** What a client says a file is, without parameters; anything when it says nothing of use. */
export function contentTypeOf(given: string): string {
  const type = given.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return MEDIA_TYPE.test(type) ? type : ANY_MEDIA_TYPE;
}

function invalidName(message: string): Problem {
  return new Problem('invalid_request', `The name of the file ${message}`, {
    details: { fields: [{ path: 'filename', message }] },
  });
}
