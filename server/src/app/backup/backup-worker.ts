import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import {
  type BackupWorkParts,
  removeBackup,
  runBackup,
  runVerification,
} from '#backup/backup-work.ts';
import type { WorkProgress } from '#backup/work-progress.ts';
import type { BackupSource, SourceFile } from '#backup/take-backup.ts';
import { systemClock } from '#base/clock.ts';
import { BACKUP_LOG_REACH_MS, BACKUP_SECOND_READER_BYTES_MIN } from '#base/backup-limits.ts';
import { unlessMissing } from '#log/durable-file.ts';
import { Followers } from '#log/followers.ts';
import { LMDB_FILE } from '#store/lmdb-file/page-format.ts';
import { readSigningKey, SIGNING_KEY_FILE } from '#store/signing-key.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { checkDerived } from '../derived-check.ts';
import { DigestFolder, FRONT_END_FOLDER } from '../front-end/digest-folder.ts';
import { openPublishedLog } from '../open-published-log.ts';
import type { CallContext } from '../threads/channel.ts';
import { lowerPriority, PRIORITY, serve } from '../threads/thread.ts';
import type { BackupCalls, BackupPlace, BackupStep } from './backup-thread.ts';
import { openTarget } from './open-target.ts';
import { PieceThread } from './piece-thread.ts';

/** Holds what is restored for a comparison. */
const SCRATCH_FOLDER = 'verification';

/**
 * A thread that makes, verifies or removes backups: it reads the state and the log's files beside
 * the writer.
 */
serve<object, BackupCalls>((starter) => {
  lowerPriority(PRIORITY.last);
  const place: BackupPlace = workerData;
  const second = new PieceThread();
  return {
    run: (_, context) => runBackup(partsOf(place, second), progressOf(context)),
    verify: (id, context) => runVerification(partsOf(place, second), id, progressOf(context)),
    remove: (id) => removeBackup(partsOf(place, second), id),
    end: () => {
      second[Symbol.dispose]();
      // It ends by itself: LMDB ends the whole process when it is interrupted while it closes.
      starter.close();
    },
  };
});

function progressOf({ signal, progress }: CallContext<BackupStep>): WorkProgress {
  return {
    signal,
    report: (done, step) => progress({ kind: 'progress', progress: done, step }),
    log: (text) => progress({ kind: 'log', text }),
  };
}

function partsOf(place: BackupPlace, second: PieceThread): BackupWorkParts {
  return {
    target: openTarget(place.target),
    masterKey: place.masterKey ?? undefined,
    clock: systemClock,
    version: place.version,
    retention: place.retention,
    checkDerived,
    scratch: join(place.storage, SCRATCH_FOLDER),
    suffix: () => randomBytes(4).toString('hex'),
    openSource: () => openSource(place, second),
  };
}

async function openSource(
  { storage, masterKey, followers }: BackupPlace,
  second: PieceThread,
): Promise<BackupSource & Disposable> {
  const { applied } = new Followers(followers);
  const { log, isEncrypted, keys } = await openPublishedLog(storage, masterKey, applied);
  const environments = ['graph', 'vault'] as const;
  const { environmentKey, vaultKey } = keys;
  const reader = openSnapshotReader({ storage, environmentKey, vaultKey, environments });
  const stateBytes = statSync(join(storage, 'graph', LMDB_FILE)).size;
  return {
    reader,
    log,
    stateBytes,
    second: canReadByTwo(stateBytes) ? second : undefined,
    reach: async (wanted) => void (await applied.reach(wanted, BACKUP_LOG_REACH_MS)),
    files: async () => [
      ...(await frontEndFiles(storage)),
      // Whoever has the key can sign as anybody: only an encrypted backup keeps it.
      ...(isEncrypted ? [signingKeyFile(storage, masterKey)] : []),
    ],
    [Symbol.dispose]: () => reader[Symbol.dispose](),
  };
}

function canReadByTwo(stateBytes: number): boolean {
  return stateBytes >= BACKUP_SECOND_READER_BYTES_MIN && availableParallelism() > 1;
}

async function frontEndFiles(storage: string): Promise<SourceFile[]> {
  const folder = join(storage, FRONT_END_FOLDER);
  const files = new DigestFolder(folder);
  const names = (await unlessMissing(readdir(folder))) ?? [];
  return names
    .filter((name) => /^[0-9a-f]{64}$/.test(name))
    .map((digest) => ({
      path: `${FRONT_END_FOLDER}/${digest}`,
      digest,
      read: () => files.read(digest),
    }));
}

/**
 * The key that signs tokens, not sealed again within a backup that is encrypted: the store that is
 * restored from it has keys of its own.
 */
function signingKeyFile(storage: string, masterKey: string | null): SourceFile {
  return {
    path: SIGNING_KEY_FILE,
    digest: undefined,
    read: async () => {
      const key = await readSigningKey({ storage, masterKey: masterKey ?? undefined });
      return key === undefined ? undefined : Buffer.from(`${key}\n`);
    },
  };
}
