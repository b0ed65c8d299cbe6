import { DB } from './databases.ts';
import type { KeyValueReader } from './key-value.ts';
import { readUnlessDamaged } from './value-seal.ts';

/**
 * How far the packed rows of `rows` go. They exist from when a packer first began.
 *
 * In `rows`, the key is one byte, and with it the record of this state (big-endian):
 *
 *   u48 packedTo, u48 changesFrom, u40 packedIds
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
const STATE_BYTES = 17;

/** Undefined where there are no rows, and where the record is damaged. */
export function readRowState(reader: KeyValueReader): RowState | undefined {
  const bytes = readUnlessDamaged(reader, DB.rows, ROW_STATE_KEY);
  if (bytes === undefined || bytes.length !== STATE_BYTES) return undefined;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    packedTo: view.readUIntBE(0, 6),
    changesFrom: view.readUIntBE(6, 6),
    packedIds: view.readUIntBE(12, 5),
  };
}

export function encodeRowState({ packedTo, changesFrom, packedIds }: RowState): Uint8Array {
  const bytes = Buffer.alloc(STATE_BYTES);
  bytes.writeUIntBE(packedTo, 0, 6);
  bytes.writeUIntBE(changesFrom, 6, 6);
  bytes.writeUIntBE(packedIds, 12, 5);
  return bytes;
}
