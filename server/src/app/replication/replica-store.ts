import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { releaseMemory } from '#base/release-memory.ts';
import { createFileDurably, syncFolder } from '#log/durable-file.ts';
import { lockFolder } from '#log/folder-lock.ts';
import { type History, promoteStore, readHistory } from '#store/history.ts';
import type { Manifest } from '#store/manifest.ts';
import { STORE_FILE } from '#store/master-key.ts';
import { pieceDigest } from '#store/piece.ts';
import { restoreSnapshot } from '#store/restore.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { PieceFolder } from '#store/snapshot-spool.ts';
import { takeSnapshot } from '#store/snapshot.ts';
import { removeLog } from '#log/segment-log.ts';
import type { Logger } from '#observe/logger.ts';
import type { ReplicaStorePort } from './replica-run.ts';
import { openStoreLog } from '../writer/store-log.ts';

/**
 * Says that the folder is a replica's: a primary that finds it goes on from it, as one of a new
 * epoch.
 */
const REPLICA_FILE = 'replica.json';
const MOVING = '{"moving":true}\n';
/** Why the primary refused what the replica has. */
const REFUSAL_FILE = 'refused.json';
/** Holds a copy that is not finished. */
const PIECES_FOLDER = 'pieces';

export interface ReplicaStoreOptions {
  readonly storage: string;
  readonly masterKey: string | undefined;
}

/** The storage folder of a replica while nobody has the store open. */
export class ReplicaStore implements ReplicaStorePort {
  readonly #options: ReplicaStoreOptions;
  readonly #pieces: PieceFolder;

  constructor(options: ReplicaStoreOptions) {
    this.#options = options;
    this.#pieces = new PieceFolder({
      folder: join(options.storage, PIECES_FOLDER),
      secret: options.masterKey,
    });
  }

  static isIn(storage: string): boolean {
    return existsSync(join(storage, REPLICA_FILE));
  }

  /** Makes the folder one of a replica, which nobody may have open. */
  static async mark(storage: string): Promise<void> {
    await createFileDurably(storage, REPLICA_FILE, Buffer.from('{}\n'));
  }

  /** The same for a folder whose log is about to be in PostgreSQL, and may not be there. */
  static async markMoving(storage: string): Promise<void> {
    await createFileDurably(storage, REPLICA_FILE, Buffer.from(MOVING));
  }

  static async isMoving(storage: string): Promise<boolean> {
    if (!ReplicaStore.isIn(storage)) return false;
    return (await readFile(join(storage, REPLICA_FILE), 'utf8')) === MOVING;
  }

  /** Removes the state and the log, which are copies. */
  static async clear(storage: string): Promise<void> {
    // The file without which there is no store goes first.
    for (const name of [STORE_FILE, 'graph', 'vault', 'log']) {
      await rm(join(storage, name), { recursive: true, force: true });
    }
  }

  /** Makes the folder one of a primary. */
  static async unmark(storage: string): Promise<void> {
    await rm(join(storage, REPLICA_FILE), { force: true });
    await syncFolder(storage);
  }

  /**
   * Takes the folder, for this replica alone until disposed. Throws `storage_in_use`, and
   * `storage_not_empty` when it is a primary's: a copy would take the place of what is there.
   */
  async claim(replicaUID: string): Promise<Disposable> {
    const { storage } = this.#options;
    const logFolder = join(storage, 'log');
    await mkdir(logFolder, { recursive: true, mode: 0o700 });
    const claim = lockFolder(storage);
    try {
      // The lock of a primary; that of the replica's own log is taken when it is opened.
      lockFolder(logFolder)[Symbol.dispose]();
      const isCopy = ReplicaStore.isIn(storage) && !(await ReplicaStore.isMoving(storage));
      if (!isCopy && (await this.history()) !== undefined) {
        throw new Problem('storage_not_empty', `${storage} holds the store of a primary`, {
          hint: 'Give the replica a folder of its own in MSK_GRAPH_STORAGE.',
        });
      }
      await writeFile(join(storage, REPLICA_FILE), `${JSON.stringify({ replicaUID })}\n`);
      return claim;
    } catch (error) {
      claim[Symbol.dispose]();
      throw error;
    }
  }

  /** How far the store is from an earlier life; undefined when there is none. */
  async history(): Promise<History | undefined> {
    if (!existsSync(join(this.#options.storage, STORE_FILE))) return undefined;
    return readHistory({ ...this.#options, clock: systemClock });
  }

  /**
   * Which pieces of a snapshot need not be copied: those of an unfinished copy, and those that the
   * store itself consists of.
   */
  async piecesOf(manifest: Manifest): Promise<ReadonlySet<string>> {
    const wanted = new Map(
      manifest.databases.flatMap(({ pieces }) =>
        pieces.map(({ digest, bytes }) => [digest, bytes]),
      ),
    );
    const here = new Set<string>();
    for (const [digest, bytes] of await this.#pieces.list()) {
      if (wanted.get(digest) === bytes) here.add(digest);
      else await this.#pieces.remove(digest);
    }
    if ((await this.history()) === undefined) return here;
    using reader = openSnapshotReader({ ...this.#options, environments: ['graph', 'vault'] });
    await takeSnapshot(reader, {
      write: async (digest, bytes) => {
        // Without a turn the connection would seem dead meanwhile.
        if (!wanted.has(digest) || here.has(digest)) return nextTurn();
        await this.write(digest, [bytes]);
        here.add(digest);
      },
    });
    return here;
  }

  /**
   * Keeps a piece over a restart, under the master key if there is one. It is verified when it is
   * used. Throws `storage_full` and `storage_failed`.
   */
  write(digest: string, parts: readonly Uint8Array[]): Promise<void> {
    return this.#pieces.write(digest, parts);
  }

  async refusal(): Promise<string | undefined> {
    const path = join(this.#options.storage, REFUSAL_FILE);
    if (!existsSync(path)) return undefined;
    const { reason }: { reason?: unknown } = JSON.parse(await readFile(path, 'utf8'));
    return `the primary refused to go on with what it has (${String(reason)})`;
  }

  async keepRefusal(reason: string): Promise<void> {
    const path = join(this.#options.storage, REFUSAL_FILE);
    await writeFile(`${path}.new`, `${JSON.stringify({ reason })}\n`);
    await rename(`${path}.new`, path);
  }

  /** Puts the snapshot, whose pieces are all here, in the place of what the folder had. */
  async replaceBy(manifest: Manifest): Promise<void> {
    const { storage } = this.#options;
    await ReplicaStore.clear(storage);
    try {
      await restoreSnapshot(manifest, this.#pieces, { ...this.#options, clock: systemClock });
    } catch (error) {
      // A damaged piece would stop the next try as well; what is whole need not be copied again, as
      // when the disk was full.
      if (error instanceof Problem && error.code === 'snapshot_corrupt')
        await this.#removeDamaged();
      throw error;
    }
    await rm(join(storage, REFUSAL_FILE), { force: true });
    await this.#pieces.clear();
  }

  async #removeDamaged(): Promise<void> {
    for (const digest of (await this.#pieces.list()).keys()) {
      if (!(await this.#isWhole(digest))) await this.#pieces.remove(digest);
    }
  }

  async #isWhole(digest: string): Promise<boolean> {
    let bytes: Uint8Array;
    try {
      bytes = await this.#pieces.read(digest);
    } catch {
      return false;
    }
    const isWhole = pieceDigest(bytes) === digest;
    releaseMemory(bytes);
    return isWhole;
  }
}

interface Promotion {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Makes the folder that a replica left a primary's, with a new epoch (specification, section
 * 3.2); a folder that never was a replica's is left as it is. Throws `replica_unfinished` when the
 * replica never had the whole graph.
 */
export async function promoteReplica(promotion: Promotion): Promise<void> {
  const { storage, logger } = promotion;
  if (!ReplicaStore.isIn(storage)) return;
  if (!existsSync(join(storage, STORE_FILE))) {
    throw new Problem('replica_unfinished', `${storage} holds a replica that was never complete`, {
      hint: 'Promote another replica, or empty the folder to begin a new workspace.',
    });
  }
  const epoch = await beginNewHistory(promotion);
  logger.warn(
    `this replica is a primary now, of the new epoch ${epoch}: the old primary must stay stopped, and other replicas copy this one`,
  );
}

/** Makes a folder of a replica that has the whole graph a primary's. Returns the new epoch. */
export async function beginNewHistory({
  storage,
  masterKey,
}: Omit<Promotion, 'logger'>): Promise<string> {
  const epoch = await promoteStore({
    storage,
    masterKey: masterKey ?? undefined,
    clock: systemClock,
    log: {
      open: (after) => openStoreLog({ storage, masterKey, lowMemory: false, beginning: { after } }),
      remove: () => removeLog(join(storage, 'log')),
    },
  });
  await ReplicaStore.unmark(storage);
  return epoch;
}
