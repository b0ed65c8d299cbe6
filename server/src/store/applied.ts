import type { GetOptions } from 'lmdb';
import { assert } from '#base/assert.ts';
import type { Environment } from './environment.ts';

/**
 * How far the environments follow the log. A commit may touch both environments, and no LMDB
 * transaction spans two. But neither a reader nor a crash may show half a commit. So the graph
 * decides, and the vault is written first:
 *
 * 1. One transaction of the vault carries out its pending operations, and stores the new operations
 *    as pending.
 * 2. One transaction of the graph carries out its operations and says that the vault is at this
 *    commit too.
 *
 * A reader takes its transaction of the graph first, and then that of the vault. It adds the
 * pending operations when the graph says that the vault has them, and leaves them out otherwise. In
 * both cases it sees one commit boundary, and it never waits for the writer.
 */
export interface GraphApplied {
  /** Everything up to this sequence is in the graph. */
  readonly sequence: number;
  /** The last commit up to that sequence that touched the vault. */
  readonly vaultSequence: number;
  /**
   * The epoch of the log: 32 hexadecimal digits; empty in an environment that has never followed a
   * log.
   */
  readonly epoch: string;
}

export interface VaultApplied {
  /** The last commit that the vault has carried out. */
  readonly sequence: number;
  readonly pending: PendingCommit | undefined;
}

export interface PendingCommit {
  /** The last commit whose operations are pending. */
  readonly sequence: number;
  /** The operations on the vault, as `batch.ts` encodes them. */
  readonly payload: Uint8Array;
}

/**
 * The key in the database `applied`. Graph: u64 sequence, u64 vault sequence, 16 bytes epoch.
 * Vault: u64 sequence. Big-endian.
 */
const APPLIED_KEY = Uint8Array.of(0);
/** In the vault's database `applied`: u64 sequence, payload. */
const PENDING_KEY = Uint8Array.of(1);
const SEQUENCE_BYTES = 8;

export function readGraphApplied(graph: Environment, options?: GetOptions): GraphApplied {
  return decodeGraphApplied(graph.applied.get(APPLIED_KEY, options));
}

/** Reads the first entry of the graph's database `applied`. */
export function decodeGraphApplied(bytes: Uint8Array | undefined): GraphApplied {
  if (bytes === undefined) return { sequence: 0, vaultSequence: 0, epoch: '' };
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    sequence: Number(view.readBigUInt64BE(0)),
    vaultSequence: Number(view.readBigUInt64BE(8)),
    epoch: view.toString('hex', 16),
  };
}

/** The graph's sequence alone: readers ask for it at every turn. */
export function readSequence(graph: Environment, options?: GetOptions): number {
  const bytes = graph.applied.get(APPLIED_KEY, options);
  return bytes === undefined ? 0 : uint64(bytes);
}

export function readVaultApplied(vault: Environment, options?: GetOptions): VaultApplied {
  const bytes = vault.applied.get(APPLIED_KEY, options);
  const sequence = bytes === undefined ? 0 : uint64(bytes);
  const record = vault.applied.get(PENDING_KEY, options);
  if (record === undefined) return { sequence, pending: undefined };
  return {
    sequence,
    pending: { sequence: uint64(record), payload: record.slice(SEQUENCE_BYTES) },
  };
}

/** Call this and the next two functions within `writeTransaction`. */
export function putGraphApplied(graph: Environment, applied: GraphApplied): void {
  const bytes = Buffer.alloc(32);
  bytes.writeBigUInt64BE(BigInt(applied.sequence), 0);
  bytes.writeBigUInt64BE(BigInt(applied.vaultSequence), 8);
  bytes.write(applied.epoch, 16, 'hex');
  graph.applied.put(APPLIED_KEY, bytes);
}

export function putVaultApplied(vault: Environment, sequence: number): void {
  const bytes = Buffer.alloc(SEQUENCE_BYTES);
  bytes.writeBigUInt64BE(BigInt(sequence));
  vault.applied.put(APPLIED_KEY, bytes);
}

export function putVaultPending(vault: Environment, pending: PendingCommit): void {
  const bytes = Buffer.alloc(SEQUENCE_BYTES + pending.payload.length);
  bytes.writeBigUInt64BE(BigInt(pending.sequence));
  bytes.set(pending.payload, SEQUENCE_BYTES);
  vault.applied.put(PENDING_KEY, bytes);
}

/**
 * The pending operations that belong to a state of the graph with this vault sequence; undefined
 * when none do.
 */
export function pendingFor(
  applied: VaultApplied,
  vaultSequence: number,
): PendingCommit | undefined {
  const { sequence, pending } = applied;
  const shown = pending !== undefined && pending.sequence <= vaultSequence ? pending : undefined;
  assert(
    (shown?.sequence ?? sequence) === vaultSequence,
    `the vault is at ${sequence}, the graph expects it at ${vaultSequence}`,
  );
  return shown;
}

function uint64(bytes: Uint8Array): number {
  let value = 0;
  for (let i = 0; i < SEQUENCE_BYTES; i++) value = value * 256 + bytes[i]!;
  return value;
}
