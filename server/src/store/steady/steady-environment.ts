import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RootDatabase, Transaction } from 'lmdb';
import { assert, must } from '#base/assert.ts';
import { type MetaPage, readNewestMeta } from '../lmdb-file/meta-pages.ts';
import { LMDB_FILE } from '../lmdb-file/page-format.ts';
import { syncFolder } from '../sync-folder.ts';
import { readBootId } from './boot-id.ts';
import type { SettledEnvironment } from './settle-environment.ts';
import type { SteadyFile, SteadyRecord } from './steady-file.ts';

const syncData = promisify(fdatasync);

type Root = RootDatabase<Uint8Array, Uint8Array>;

/** A transaction that may become the steady one. LMDB does not reuse its pages while it is held. */
export interface SteadyPoint {
  readonly meta: MetaPage;
  readonly transaction: Transaction;
}

/**
 * An environment that LMDB writes without syncing. A steady point makes one of its transactions the
 * one that is left after a power failure, in these steps:
 *
 * 1. `begin` holds the newest transaction, between two of them. So LMDB reuses none of its pages.
 * 2. `sync` waits for `fdatasync` of the file. After it, all pages of that transaction are on the
 *    device, whatever else was written meanwhile.
 * 3. `complete` writes the meta page of that transaction to the steady file, and then gives back
 *    the transaction of the steady point before, which counted until then.
 */
export class SteadyEnvironment {
  /** The folder. */
  readonly path: string;
  readonly #root: Root;
  readonly #steady: SteadyFile;
  readonly #data: number;
  /**
   * The points that may be in the steady file, oldest first. It is more than one while one is
   * written, and after that has failed.
   */
  #held: SteadyPoint[] = [];
  #isNamed = false;
  /**
   * A sync has failed: what was written before it may be lost, and a later sync does not say so.
   */
  #isLost = false;

  /** Call this as soon as the environment is open, before anything is written. */
  constructor(root: Root, path: string, { steady, meta }: SettledEnvironment) {
    this.#root = root;
    this.path = path;
    this.#steady = steady;
    this.#data = openSync(join(path, LMDB_FILE), 'r+');
    if (meta === undefined) return;
    const point = this.begin();
    this.#held.push(point);
    assert(point.meta.bytes.equals(meta.bytes), `LMDB opened another transaction of ${path}`);
  }

  /** Call this between transactions. */
  begin(): SteadyPoint {
    this.#root.resetReadTxn();
    const transaction = this.#root.useReadTransaction();
    // Later reads use another transaction.
    this.#root.resetReadTxn();
    return { transaction, meta: must(readNewestMeta(this.#data), 'a meta page') };
  }

  /** Whether the point shows nothing that the last one does not show. */
  isSame({ meta }: SteadyPoint): boolean {
    const { record } = this.#steady;
    return record?.mark === 'open' && record.meta?.bytes.equals(meta.bytes) === true;
  }

  get sizeBytes(): number {
    return fstatSync(this.#data).size;
  }

  /** Whether a sync has failed, so that no later point can be trusted. */
  get isLost(): boolean {
    return this.#isLost;
  }

  async sync(): Promise<void> {
    try {
      await this.syncFile();
      if (!this.#isNamed) syncFolder(this.path);
      this.#isNamed = true;
    } catch (error) {
      this.#isLost = true;
      throw error;
    }
  }

  /**
   * Has the next opening go back to the last steady point, though the machine has not gone down:
   * after a failed sync the system may have dropped pages. No point is made any more.
   */
  async distrust(): Promise<void> {
    this.#isLost = true;
    const { record } = this.#steady;
    if (record !== undefined) await this.#steady.write({ ...record, bootId: '' });
  }

  /** Makes all that was written into the file durable. */
  syncFile(): Promise<void> {
    return syncData(this.#data);
  }

  /** Makes this the steady point, after `sync`. */
  async complete(point: SteadyPoint): Promise<void> {
    this.#held.push(point);
    await this.#steady.write(this.#recordOf('open', point.meta));
    const past = this.#held.splice(0, this.#held.indexOf(point));
    for (const { transaction } of past) transaction.done();
  }

  /** Gives up a point that was not completed. */
  release({ transaction }: SteadyPoint): void {
    transaction.done();
  }

  /** Call this before LMDB closes the environment. Nothing may be written after it. */
  releaseAll(): void {
    for (const { transaction } of this.#held.splice(0)) transaction.done();
  }

  /** Ends without a word on what was written last, when the environment could not be opened. */
  abandon(): void {
    this.releaseAll();
    this.#dispose();
  }

  /**
   * Call this once LMDB has closed the environment. It is opened as it is then, after a power
   * failure or on another machine too. Rejects when that cannot be made sure.
   */
  async close(): Promise<void> {
    try {
      if (this.#isLost) throw new Error('an earlier sync of it has failed');
      await this.sync();
      const meta = must(readNewestMeta(this.#data), 'a meta page');
      await this.#steady.write(this.#recordOf('clean', meta));
    } finally {
      this.#dispose();
    }
  }

  #dispose(): void {
    closeSync(this.#data);
    this.#steady[Symbol.dispose]();
  }

  #recordOf(mark: SteadyRecord['mark'], meta: MetaPage): SteadyRecord {
    const { dev: device, ino: inode } = fstatSync(this.#data, { bigint: true });
    return { mark, meta, device, inode, bootId: readBootId() };
  }
}
