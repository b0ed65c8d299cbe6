import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { scrubBackups } from '#backup/scrub-backups.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { SCRUB_BYTES_AT_A_TIME, SCRUB_WORK_SHARE } from '#base/limits.ts';
import { Followers } from '#log/followers.ts';
import { indexFolder } from '#search/text/index-manifest.ts';
import { scrubSegments } from '#search/text/scrub-segments.ts';
import { scrubVectors } from '#search/vector/scrub-vectors.ts';
import { scrubState } from '#store/care/scrub-state.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { openTarget } from '../backup/open-target.ts';
import { lowerPriority, PRIORITY } from '../low-priority.ts';
import { openPublishedLog } from '../open-published-log.ts';
import { vectorsFolder } from '../search/stored-vectors.ts';
import { failureOf } from '../thread-failure.ts';
import { SCRUB_PARTS } from './scrub-messages.ts';
import type { FromScrub, ScrubPart, ScrubPlace, ScrubRead } from './scrub-messages.ts';

/** A thread that reads all that is kept, slowly, and compares it with the checks that it was written with. It ends by itself. */
const port = must(parentPort, 'the port of the thread that scrubs');
const place: ScrubPlace = workerData;
const cancelling = new AbortController();

function send(message: FromScrub): void {
  port.postMessage(message);
}

function found(part: ScrubPart, where: string): void {
  send({ kind: 'damage', damage: { part, place: where } });
}

/** Leaves the disk and a processor to others for most of the time. */
class Pace {
  #workedSince = performance.now();

  readonly rest = async (): Promise<void> => {
    const { signal } = cancelling;
    const pause = (performance.now() - this.#workedSince) * (1 / SCRUB_WORK_SHARE - 1);
    // Short work adds up until there is something to rest for.
    if (pause >= 1) {
      await delay(pause, undefined, { signal }).catch(() => {});
      this.#workedSince = performance.now();
    }
    signal.throwIfAborted();
  };
}

const { rest } = new Pace();

function progressOf(part: ScrubPart, step: string): (done: number, total: number) => void {
  const before = SCRUB_PARTS.indexOf(part);
  return (done, total) =>
    send({
      kind: 'progress',
      fraction: (before + (total === 0 ? 1 : done / total)) / SCRUB_PARTS.length,
      step: `${step}: ${done} of ${total}`,
    });
}

async function readState(): Promise<number> {
  const { storage, masterKey } = place;
  const environments = ['graph', 'vault'] as const;
  using reader = openSnapshotReader({ storage, masterKey: masterKey ?? undefined, environments });
  return await scrubState({
    reader,
    rest,
    onDamage: (where) => found('state', where),
    onProgress: progressOf('state', 'Entries of the state'),
  });
}

/** Up to the first damage: what is behind it cannot be told from it. */
async function readLog(): Promise<number> {
  const { applied } = new Followers(place.followers);
  const { log } = await openPublishedLog(place.storage, place.masterKey, applied);
  const tell = progressOf('log', 'Commits of the log');
  let commits = 0;
  let next = log.firstSequence;
  for (;;) {
    const last = log.lastSequence;
    const first = log.firstSequence;
    if (next > last) return commits;
    try {
      let bytes = 0;
      for await (const record of log.read(next)) {
        commits++;
        next = record.last + 1;
        bytes += record.payload.length;
        if (bytes < SCRUB_BYTES_AT_A_TIME) continue;
        bytes = 0;
        tell(next - first, Math.max(last, next) - first + 1);
        await rest();
      }
      return commits;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'log_trimmed') next = log.firstSequence;
      else if (error.code === 'log_corrupt') {
        found('log', error.message);
        return commits;
      } else throw error;
    }
  }
}

async function readIndex(): Promise<number> {
  const onDamage = (where: string): void => found('index', where);
  progressOf('index', 'Files of the index')(0, 1);
  const texts = await scrubSegments(indexFolder(place.storage), rest, onDamage);
  return texts + (await scrubVectors(vectorsFolder(place.storage), rest, onDamage));
}

async function readBackups(): Promise<number> {
  if (place.target === null) return 0;
  return await scrubBackups({
    target: openTarget(place.target),
    masterKey: place.masterKey ?? undefined,
    rest,
    onDamage: (where) => found('backups', where),
    onProgress: progressOf('backups', 'Backups'),
  });
}

async function scrub(): Promise<ScrubRead> {
  return {
    entries: await readState(),
    commits: await readLog(),
    indexFiles: await readIndex(),
    backups: await readBackups(),
  };
}

lowerPriority(PRIORITY.last);
port.on('message', () => {
  cancelling.abort(new Problem('job_cancelled', 'The scrub was cancelled.'));
});
scrub()
  .then(
    (read) => send({ kind: 'done', read }),
    (error: unknown) => send({ kind: 'failed', failure: failureOf(error) }),
  )
  // LMDB ends the whole process when a thread is interrupted while it closes.
  .finally(() => port.close());
