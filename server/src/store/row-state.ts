import { DB } from './databases.ts';
import type { KeyValueReader } from './key-value.ts';
import type { LocalState } from './local-state.ts';
import { readUnlessDamaged } from './value-seal.ts';

/**
 * How far the packed rows of `rows` go. They exist from when a packer first began.
 *
 * In `rows`, the key is one byte, and with it the record of this state (big-endian):
 *
 *   u8 layout, u48 packedTo, u48 changesFrom, u40 packedIds
 *
 * All other keys there are the packer's: see `graph/rows/`.
 */
export interface RowState {
  /**
   * The packed rows of the ids below `packedIds` show at least everything up to this sequence. Of
   * those that changed later, `rowChanges` has the ids.
   */
  readonly packedTo: number;
  /** `rowChanges` has what changed after this sequence, which is at most `packedTo`. */
  readonly changesFrom: number;
  readonly packedIds: number;
}

export const ROW_STATE_KEY = Uint8Array.of(0);
const STATE_BYTES = 18;
/**
 * Of this record, of all values in `rows`, and of their keys. It goes up with each change of these:
 * a program with another layout takes the rows for none, and packs them again.
 */
const LAYOUT = 1;

/** Undefined where there are no rows of this layout, and where the record is damaged. */
export function readRowState(reader: KeyValueReader): RowState | undefined {
  const bytes = readUnlessDamaged(reader, DB.rows, ROW_STATE_KEY);
  if (bytes?.length !== STATE_BYTES || bytes[0] !== LAYOUT) return undefined;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    packedTo: view.readUIntBE(1, 6),
    changesFrom: view.readUIntBE(7, 6),
    packedIds: view.readUIntBE(13, 5),
  };
}

/** Nobody reads the rows any more, and the packer begins anew. */
export function dropRows(local: LocalState): Promise<void> {
  return local.write((put) => put(DB.rows, ROW_STATE_KEY, undefined));
}

export function encodeRowState({ packedTo, changesFrom, packedIds }: RowState): Uint8Array {
  const bytes = Buffer.alloc(STATE_BYTES);
  bytes[0] = LAYOUT;
  bytes.writeUIntBE(packedTo, 1, 6);
  bytes.writeUIntBE(changesFrom, 7, 6);
  bytes.writeUIntBE(packedIds, 13, 5);
  return bytes;
}
