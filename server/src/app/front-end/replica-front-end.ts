import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { settingVersion } from '#access/settings.ts';
import { REPLICA_REJOIN_TIMEOUT_MS } from '#base/replication-limits.ts';
import type { Logger } from '#observe/logger.ts';
import type { Notice } from '#replication/message-shapes.ts';
import type { WebSocketMessage } from '@trellis/contract/web-socket.ts';
import type { CommitLooks } from '../commit-looks.ts';
import { isPassing } from '../replication/replica-run.ts';
import { DigestFolder, FRONT_END_FOLDER } from './digest-folder.ts';
import { type FetchFrontEndFiles, FrontEndCache } from './front-end-cache.ts';
import { type FrontEndFiles, servedFiles, ServedFrontEnd } from './front-end-files.ts';
import {
  type FrontEndManifest,
  MANIFEST_SETTING,
  readFrontEndManifest,
} from './front-end-manifest.ts';
import { INTERFACES_SETTING, InterfaceStore } from './interface-store.ts';
import { readPageNotice, readReplicaListNotice } from '../replication/notices.ts';

export interface FollowedFrontEnd {
  readonly storage: string;
  readonly looks: CommitLooks;
  readonly fetch: FetchFrontEndFiles;
  readonly logger: Logger;
}

/**
 * What a replica serves to browsers: until it follows its primary its own front end, then the
 * primary's.
 */
export class ReplicaFrontEnd {
  readonly served: ServedFrontEnd;
  readonly #isRequired: boolean;
  #tell: (message: WebSocketMessage, owner?: string) => void = () => undefined;
  #replicaUrls = '';
  #sync: FrontEndSync | undefined;
  /** The next time that the primary is joined. */
  #joined = Promise.withResolvers<void>();

  /** A member does not require that of the primary: it serves its own until it has it. */
  constructor(files: FrontEndFiles, isRequired: boolean) {
    this.#isRequired = isRequired;
    this.served = new ServedFrontEnd(servedFiles(files, undefined), () => this.#replicaUrls);
  }

  /**
   * From now on changes are told by `tell`, which reaches those who have a WebSocket here, and
   * always the user with the UID `owner`.
   */
  tellBy(tell: (message: WebSocketMessage, owner?: string) => void): void {
    this.#tell = tell;
  }

  /** Takes a notice of the primary. */
  hear(notice: Notice): void {
    const told = readPageNotice(notice);
    if (told !== undefined) this.#tell(told.message, told.owner);
    const replicas = readReplicaListNotice(notice);
    if (replicas === undefined || replicas === this.#replicaUrls) return;
    this.#replicaUrls = replicas;
    this.#tell({ type: 'REPLICAS_CHANGED', replicas });
  }

  /** The primary can be reached again: what failed without it is tried again. */
  reconnected(): void {
    this.#joined.resolve();
    this.#joined = Promise.withResolvers<void>();
    this.#sync?.refresh();
  }

  /**
   * Gets the primary's front end, and gets it again whenever the stream of commits brings another
   * one, until disposed. Rejects when it cannot be got the first time, also over a connection that
   * is made anew soon, and is required.
   */
  async follow(followed: FollowedFrontEnd): Promise<Disposable> {
    const { storage, looks, fetch, logger } = followed;
    const { reader } = looks;
    const fetchTold: FetchFrontEndFiles = (digests) => {
      logger.info(`copying ${digests.length} files of the front end`);
      return fetch(digests);
    };
    const sync = new FrontEndSync({
      cache: new FrontEndCache(new DigestFolder(join(storage, FRONT_END_FOLDER)), fetchTold),
      served: this.served,
      manifest: () => readFrontEndManifest(reader),
      interfaces: () => new InterfaceStore(reader).manifests(),
      onChanged: () => {
        logger.info('the front end of the primary has changed: it is served from now on');
        this.#tell({ type: 'FRONTEND_CHANGED' });
      },
      onFailed: (err) => logger.warn({ err }, 'the front end of the primary was not copied'),
    });
    const versionNow = (): string => {
      const settings = [MANIFEST_SETTING, INTERFACES_SETTING];
      return settings.map((name) => settingVersion(reader, name)).join();
    };
    reader.refresh();
    let version = versionNow();
    try {
      await this.#begin(sync);
    } catch (err) {
      if (this.#isRequired || !isPassing(err)) throw err;
      logger.warn({ err }, 'the front end of the primary was not copied: its own is served');
    }
    this.#sync = sync;
    const refreshIfChanged = (): void => {
      const newest = versionNow();
      if (newest === version) return;
      version = newest;
      sync.refresh();
    };
    const look = looks.add({ look: refreshIfChanged });
    reader.refresh();
    refreshIfChanged();
    return look;
  }

  async #begin(sync: FrontEndSync): Promise<void> {
    for (;;) {
      const joined = this.#joined.promise;
      try {
        return await sync.begin();
      } catch (error) {
        if (!isPassing(error)) throw error;
        const isLate = sleep(REPLICA_REJOIN_TIMEOUT_MS, true, { ref: false });
        if ((await Promise.race([joined, isLate])) === true) throw error;
      }
    }
  }
}

interface FrontEndSyncParts {
  readonly cache: FrontEndCache;
  readonly served: ServedFrontEnd;
  /** The manifest in the newest commit; undefined when the primary has none. */
  readonly manifest: () => FrontEndManifest | undefined;
  /**
   * Manifests of front ends that are not served, but may be chosen: here or, once this replica is a
   * primary, there.
   */
  readonly interfaces: () => readonly FrontEndManifest[];
  /** Another front end is served from now on. */
  readonly onChanged: () => void;
  readonly onFailed: (error: unknown) => void;
}

/**
 * Keeps what a replica serves equal to the front end of its primary (specification, section 3.1).
 */
export class FrontEndSync {
  readonly #parts: FrontEndSyncParts;
  /** The digest of what is served, and of all that is kept. */
  #digest: string | undefined;
  #kept = '';
  #running: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(parts: FrontEndSyncParts) {
    this.#parts = parts;
  }

  /** The first time: rejects when what is served cannot be had. The rest follows. */
  async begin(): Promise<void> {
    await this.#serve();
    this.refresh();
  }

  /**
   * To be called when the primary's front end may have changed, and when it can be reached again.
   * What is served stays as it is when it cannot be done; then the next call is the next try.
   */
  refresh(): void {
    this.#isAskedAgain = true;
    this.#running ??= this.#refreshAll().finally(() => (this.#running = undefined));
  }

  /** When nothing is under way any more. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #refreshAll(): Promise<void> {
    while (this.#isAskedAgain) {
      this.#isAskedAgain = false;
      try {
        if (await this.#serve()) this.#parts.onChanged();
        await this.#keepAll();
      } catch (error) {
        this.#parts.onFailed(error);
      }
    }
  }

  /** Whether it was another one before. */
  async #serve(): Promise<boolean> {
    const { cache, served, manifest: newest } = this.#parts;
    const manifest = newest();
    if (manifest === undefined || manifest.digest === this.#digest) return false;
    served.replaceBy(await cache.load(manifest));
    this.#digest = manifest.digest;
    return true;
  }

  async #keepAll(): Promise<void> {
    const { cache, manifest, interfaces } = this.#parts;
    const others = interfaces();
    const all = [...others, manifest()].filter((known) => known !== undefined);
    const kept = all.map(({ digest }) => digest).join();
    if (kept === this.#kept) return;
    await cache.keepOnly(all);
    for (const other of others) await cache.keep(other);
    this.#kept = kept;
  }
}
