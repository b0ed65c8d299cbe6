import { must } from '#base/assert.ts';
import { FILE_CHUNK_BYTES_MAX } from '#base/limits.ts';
import { FILE_PIECE_TYPE, pieceKey } from '#graph/file-nodes.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

/** The content of one file, which lies in pieces of the same size but for the last one. */
export interface ContentPlace {
  readonly content: string;
  /** Bytes. */
  readonly size: number;
}

export function contentPlace(reader: GraphReader, id: number): ContentPlace {
  const stored = must(reader.fields(id, ['Content', 'Size']), 'the node of a file');
  const [content, size] = stored.values;
  return { content: String(content), size: Number(size) };
}

export function pieceCount(size: number): number {
  return Math.ceil(size / FILE_CHUNK_BYTES_MAX);
}

/** Throws when it is gone. */
export function readPiece(reader: GraphReader, content: string, index: number): Buffer {
  const id = reader.id({ type: FILE_PIECE_TYPE, key: pieceKey(content, index) });
  const bytes = id === undefined ? undefined : reader.field(id, 'Bytes');
  if (typeof bytes !== 'string') throw new Error('a file was deleted while it was read');
  return Buffer.from(bytes, 'base64');
}

/**
 * The bytes from `from` up to and without `to`, a piece at a time, each read when it is wanted: no
 * more than one is held in memory. Throws when the file is deleted meanwhile.
 */
export async function* readContent(
  reader: GraphReader,
  { content }: ContentPlace,
  from: number,
  to: number,
): AsyncGenerator<Buffer, void, undefined> {
  for (let at = from; at < to;) {
    const index = Math.floor(at / FILE_CHUNK_BYTES_MAX);
    const start = at - index * FILE_CHUNK_BYTES_MAX;
    reader.refresh();
    const part = readPiece(reader, content, index).subarray(start, start + to - at);
    at += part.length;
    yield part;
  }
}

export function writePiece(content: string, index: number, bytes: Uint8Array): WriterOperation {
  return {
    op: 'addOrUpdate',
    type: FILE_PIECE_TYPE,
    key: pieceKey(content, index),
    fields: { Bytes: Buffer.from(bytes).toString('base64') },
  };
}

export function deletePiece(key: string): WriterOperation {
  return { op: 'delete', type: FILE_PIECE_TYPE, key };
}

/** For a content that no entry has. */
export function deletePieces(content: string, count: number): WriterOperation[] {
  return Array.from({ length: count }, (_, index) => deletePiece(pieceKey(content, index)));
}
