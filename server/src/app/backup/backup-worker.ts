import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { BackupHeader } from '#backup/backup-header.ts';
import { removeBackup, runBackup, runVerification } from '#backup/backup-work.ts';
import type { BackupWorkParts } from '#backup/backup-work.ts';
import type { BackupSource, SourceFile } from '#backup/backup-source.ts';
import type { WorkProgress } from '#backup/work-progress.ts';
import { must } from '#base/assert.ts';
import { systemClock } from '#base/clock.ts';
import { BACKUP_LOG_REACH_MS, BACKUP_SECOND_READER_BYTES_MIN } from '#base/backup-limits.ts';
import { Problem } from '#base/problem.ts';
import { unlessMissing } from '#log/durable-file.ts';
import { Followers } from '#log/followers.ts';
import { LMDB_FILE } from '#store/environment.ts';
import { readSigningKey, SIGNING_KEY_FILE } from '#store/signing-key.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { DigestFolder, FRONT_END_FOLDER } from '../front-end/digest-folder.ts';
import { openPublishedLog } from '../open-published-log.ts';
import { failureOf } from '../thread-failure.ts';
import type { BackupPlace, BackupRequest, FromBackup, ToBackup } from './backup-messages.ts';
import { lowerPriority, PRIORITY } from '../low-priority.ts';
import { openTarget } from './open-target.ts';
import { PieceThread } from './piece-thread.ts';

/** A thread that makes, verifies or removes backups: it reads the state and the log's files beside the writer. */
const port = must(parentPort, 'the port of the backup thread');
/** For what is restored to be compared. */
const SCRATCH_FOLDER = 'verification';

function send(message: FromBackup): void {
  port.postMessage(message);
}

function main(): void {
  lowerPriority(PRIORITY.last);
  const place: BackupPlace = workerData;
  const second = new PieceThread();
  let cancelling = new AbortController();
  port.on('message', (message: ToBackup) => {
    if (message.kind === 'do') {
      cancelling = new AbortController();
      void answer({ place, second }, message.request, cancelling.signal);
    } else if (message.kind === 'cancel') {
      cancelling.abort(new Problem('job_cancelled', 'The work on backups was cancelled.'));
    } else {
      second[Symbol.dispose]();
      // It ends by itself: LMDB ends the whole process when it is interrupted while it closes.
      port.close();
    }
  });
}

interface Parts {
  readonly place: BackupPlace;
  readonly second: PieceThread;
}

async function answer(parts: Parts, request: BackupRequest, signal: AbortSignal): Promise<void> {
  try {
    const progress: WorkProgress = {
      signal,
      report: (done, step) => send({ kind: 'progress', progress: done, step }),
      log: (text) => send({ kind: 'log', text }),
    };
    send({ kind: 'done', header: await perform(parts, request, progress) });
  } catch (error) {
    send({ kind: 'failed', failure: failureOf(error) });
  }
}

async function perform(
  { place, second }: Parts,
  request: BackupRequest,
  progress: WorkProgress,
): Promise<BackupHeader | undefined> {
  const parts: BackupWorkParts = {
    target: openTarget(place.target),
    masterKey: place.masterKey ?? undefined,
    clock: systemClock,
    version: place.version,
    retention: place.retention,
    scratch: join(place.storage, SCRATCH_FOLDER),
    suffix: () => randomBytes(4).toString('hex'),
    openSource: () => openSource(place, second),
  };
  switch (request.kind) {
    case 'run':
      return await runBackup(parts, progress);
    case 'verify':
      await runVerification(parts, request.id, progress);
      return undefined;
    case 'remove':
      await removeBackup(parts, request.id);
      return undefined;
  }
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
      // Whoever has it can sign as anybody: it is kept where it is encrypted, and else nowhere.
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

/** In the clear within a backup that is encrypted: the store that is restored of it has keys of its own. */
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

main();
