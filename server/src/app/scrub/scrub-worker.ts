import { setTimeout as delay } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { scrubBackups } from '#backup/scrub-backups.ts';
import { Problem } from '#base/problem.ts';
import { SCRUB_BYTES_AT_A_TIME, SCRUB_WORK_SHARE } from '#base/limits.ts';
import type { DerivedReport } from '#graph/indexes/compare-derived.ts';
import { Followers } from '#log/followers.ts';
import { indexFolder } from '#search/text/segment-codec.ts';
import { scrubSegments } from '#search/text/segment-files.ts';
import { scrubVectors } from '#search/vector/vector-files.ts';
import { scrubState } from '#store/care/scrub-state.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { openTarget } from '../backup/open-target.ts';
import { checkDerived } from '../derived-check.ts';
import { openPublishedLog } from '../open-published-log.ts';
import { vectorsFolder } from '../search/stored-vectors.ts';
import { lowerPriority, PRIORITY, serve } from '../threads/thread.ts';
import type { ScrubCalls, ScrubPart, ScrubPlace, ScrubRead, ScrubStep } from './storage-scrub.ts';

const PARTS: readonly ScrubPart[] = ['state', 'derived', 'rows', 'log', 'index', 'backups'];

/**
 * A thread that reads all that is kept, slowly, and compares it with the checks that it was written
 * with. It ends by itself.
 */
serve<object, ScrubCalls>((starter) => {
  lowerPriority(PRIORITY.last);
  return {
    scrub: async (_, { signal, progress }) => {
      try {
        return await new Scrub(workerData, signal, progress).run();
      } finally {
        // LMDB ends the whole process when a thread is interrupted while it closes.
        setImmediate(() => starter.close());
      }
    },
  };
});

/** Leaves the disk and a processor to others for most of the time. */
class Pace {
  readonly #signal: AbortSignal;
  #workedSince = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  readonly rest = async (): Promise<void> => {
    const signal = this.#signal;
    const pause = (performance.now() - this.#workedSince) * (1 / SCRUB_WORK_SHARE - 1);
    // Short work adds up until there is something to rest for.
    if (pause >= 1) {
      await delay(pause, undefined, { signal }).catch(() => {});
      this.#workedSince = performance.now();
    }
    signal.throwIfAborted();
  };
}

class Scrub {
  readonly #place: ScrubPlace;
  readonly #rest: Pace['rest'];
  readonly #tell: (step: ScrubStep) => void;
  readonly #signal: AbortSignal;
  /** The parts in which something was found. */
  readonly #damaged = new Set<ScrubPart>();

  constructor(place: ScrubPlace, signal: AbortSignal, tell: (step: ScrubStep) => void) {
    this.#place = place;
    this.#rest = new Pace(signal).rest;
    this.#tell = tell;
    this.#signal = signal;
  }

  async run(): Promise<ScrubRead> {
    return {
      entries: await this.#readState(),
      ...(await this.#compareDerived()),
      commits: await this.#readLog(),
      indexFiles: await this.#readIndex(),
      backups: await this.#readBackups(),
    };
  }

  #found(part: ScrubPart, where: string): void {
    this.#damaged.add(part);
    this.#tell({ kind: 'damage', damage: { part, place: where } });
  }

  #foundAll(
    part: ScrubPart,
    { differences, differenceCount }: Pick<DerivedReport, 'differences' | 'differenceCount'>,
  ): void {
    for (const text of differences) this.#found(part, text);
    const count = differenceCount - differences.length;
    if (count > 0) this.#tell({ kind: 'unnamed', part, count });
  }

  #progressOf(part: ScrubPart, step: string): (done: number, total: number) => void {
    const before = PARTS.indexOf(part);
    return (done, total) =>
      this.#tell({
        kind: 'progress',
        fraction: (before + (total === 0 ? 1 : done / total)) / PARTS.length,
        step: `${step}: ${done} of ${total}`,
      });
  }

  async #readState(): Promise<number> {
    const { storage, masterKey } = this.#place;
    const environments = ['graph', 'vault'] as const;
    using reader = openSnapshotReader({ storage, masterKey: masterKey ?? undefined, environments });
    return await scrubState({
      reader,
      rest: this.#rest,
      onDamage: (where) => this.#found('state', where),
      onProgress: this.#progressOf('state', 'Entries of the state'),
    });
  }

  /** Holds one commit meanwhile, so it does not rest. */
  async #compareDerived(): Promise<Pick<ScrubRead, 'derived' | 'rows'>> {
    if (this.#damaged.has('state')) {
      this.#tell({ kind: 'note', text: 'Indexes were not compared: the state is damaged.' });
      return { derived: 0, rows: 0 };
    }
    const { storage, masterKey } = this.#place;
    const environments = ['graph'] as const;
    using reader = openSnapshotReader({ storage, masterKey: masterKey ?? undefined, environments });
    using state = reader.hold();
    const onProgress = this.#progressOf('derived', 'Entries compared with the nodes');
    const report = await checkDerived(state, { signal: this.#signal, onProgress });
    for (const text of report.skipped) this.#tell({ kind: 'note', text: `Not compared: ${text}.` });
    this.#foundAll('derived', report);
    this.#foundAll('rows', report.rows);
    return { derived: report.entries, rows: report.rows.nodes };
  }

  /** Reads up to the first damage: what comes after it cannot be found. */
  async #readLog(): Promise<number> {
    const { applied } = new Followers(this.#place.followers);
    const { log } = await openPublishedLog(this.#place.storage, this.#place.masterKey, applied);
    const tell = this.#progressOf('log', 'Commits of the log');
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
          await this.#rest();
        }
        return commits;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (error.code === 'log_trimmed') next = log.firstSequence;
        else if (error.code === 'log_corrupt') {
          this.#found('log', error.message);
          return commits;
        } else throw error;
      }
    }
  }

  async #readIndex(): Promise<number> {
    const onDamage = (where: string): void => this.#found('index', where);
    this.#progressOf('index', 'Files of the index')(0, 1);
    const texts = await scrubSegments(indexFolder(this.#place.storage), this.#rest, onDamage);
    return texts + (await scrubVectors(vectorsFolder(this.#place.storage), this.#rest, onDamage));
  }

  async #readBackups(): Promise<number> {
    if (this.#place.target === null) return 0;
    return await scrubBackups({
      target: openTarget(this.#place.target),
      masterKey: this.#place.masterKey ?? undefined,
      rest: this.#rest,
      onDamage: (where) => this.#found('backups', where),
      onProgress: this.#progressOf('backups', 'Backups'),
    });
  }
}
