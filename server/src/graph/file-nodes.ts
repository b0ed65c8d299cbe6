/**
 * The built-in types that store a file: an entry, linked from the node that the file belongs to,
 * and the content in pieces. When that node is deleted, its files are deleted too: see
 * `delete-node.ts`.
 */
export const FILE_TYPE = '_FileEntry';
export const FILE_PIECE_TYPE = '_FileChunk';
/** Leads from the node that a file belongs to, to the entry of the file. */
export const HAS_FILE = '_HasFile';

/**
 * The key of a piece. `content` is the field `Content` of the entry, which is unique to the file.
 */
export function pieceKey(content: string, index: number): string {
  return `${content}/${index}`;
}

/** The value of `Content` in the key of a piece. */
export function contentOfPiece(key: string): string {
  return key.slice(0, key.indexOf('/'));
}
