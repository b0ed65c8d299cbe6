/**
 * The built-in types of which a file consists: an entry, which hangs on the node that the file
 * belongs to, and its content in pieces. Whoever deletes that node deletes the file with it, see
 * `delete-node.ts`.
 */
export const FILE_TYPE = '_FileEntry';
export const FILE_PIECE_TYPE = '_FileChunk';
/** From what a file belongs to. */
export const HAS_FILE = '_HasFile';

/** The key of a piece; `content` is the entry's field `Content`, which no other file has. */
export function pieceKey(content: string, index: number): string {
  return `${content}/${index}`;
}

/** The `Content` that the key of a piece names. */
export function contentOfPiece(key: string): string {
  return key.slice(0, key.indexOf('/'));
}
