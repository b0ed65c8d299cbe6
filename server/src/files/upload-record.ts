import { must } from '#base/assert.ts';
import type { Caller } from '#access/caller.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

/** The node type of uploads that come in pieces, until the file is whole. */
export const UPLOAD_TYPE = '_FileUpload';

export interface UploadRecord {
  readonly id: string;
  /** UID of the node that the file will belong to. */
  readonly of: string;
  readonly name: string;
  readonly contentType: string;
  /** Bytes of the whole file, and those of them that are kept. */
  readonly size: number;
  readonly received: number;
  readonly content: string;
  /** Who may go on with it: see `callerOf`. */
  readonly caller: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** A user, in whatever session, or the token of no user. */
export function callerOf({ userUid, tokenId }: Caller): string {
  return userUid ?? `token ${tokenId}`;
}

export function readUpload(reader: GraphReader, id: number): UploadRecord {
  const { values } = must(reader.fields(id, FIELDS), 'an upload');
  const [key, of, name, contentType, size, received, content, caller, expiresAt] = values;
  return {
    id: String(key),
    of: String(of),
    name: String(name),
    contentType: String(contentType),
    size: Number(size),
    received: Number(received),
    content: String(content),
    caller: String(caller),
    expiresAt: String(expiresAt),
  };
}

const FIELDS = [
  'Id',
  'Of',
  'Name',
  'ContentType',
  'Size',
  'Received',
  'Content',
  'Caller',
  'ExpiresAt',
];

export function uploadReference(id: string) {
  return { type: UPLOAD_TYPE, key: id };
}

export function beginUpload(upload: UploadRecord): WriterOperation {
  const { id, of, name, contentType, size, received, content, caller, expiresAt } = upload;
  return {
    op: 'addOrUpdate',
    ...uploadReference(id),
    fields: {
      Of: of,
      Name: name,
      ContentType: contentType,
      Size: size,
      Received: received,
      Content: content,
      Caller: caller,
      ExpiresAt: expiresAt,
    },
    ifVersion: 0,
  };
}

/** Refused when it is gone. */
export function continueUpload(id: string, received: number, expiresAt: string): WriterOperation {
  const fields = { Received: received, ExpiresAt: expiresAt };
  return { op: 'update', ...uploadReference(id), fields };
}
