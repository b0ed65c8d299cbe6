import type { GetOptions } from 'lmdb';
import { assert } from '#base/assert.ts';
import type { Environment } from './environment.ts';

/**
 * How far the environments follow the log. A commit may touch both, no LMDB transaction spans two,
 * and yet neither a reader nor a crash may see half of it. So the graph decides, and the vault is
 * written ahead of it:
 *
 * 1. One transaction of the vault carries out what it had pending, and puts down the new operations
 *    as pending.
 * 2. One transaction of the graph carries out its operations and says that the vault is at this
 *    commit too.
 *
 * A reader that takes its transaction of the graph first, and then that of the vault, adds what is
 * pending when the graph says so, and leaves it out otherwise; either way it sees one boundary, and
 * never waits for the writer.
 */
export interface GraphApplied {
  /** Everything up to it is in the graph. */
  readonly sequence: number;
  /** The last commit up to there that touched the vault. */
  readonly vaultSequence: number;
  /** The log's: 32 hexadecimal digits; empty in an environment that has never followed one. */
  readonly epoch: string;
}

export interface VaultApplied {
  /** The last commit that has been carried out. */
  readonly sequence: number;
  readonly pending: PendingCommit | undefined;
}

export interface PendingCommit {
  /** The last commit that it holds operations of. */
  readonly sequence: number;
  /** The operations on the vault, as `batch.ts` encodes them. */
  readonly payload: Uint8Array;
}

/**
 * In the database `applied`. Graph: u64 sequence, u64 vault sequence, 16 bytes epoch. Vault: u64
 * sequence. Big-endian.
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

/** Within `writeTransaction`; so the other two. */
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

/** What of `pending` belongs to a state of the graph whose vault sequence is given. */
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
