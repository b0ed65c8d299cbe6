import { Problem } from '#base/problem.ts';
import { SCRUB_DAMAGES_NAMED_MAX } from '#base/limits.ts';
import type { Logger } from '#observe/logger.ts';
import type { RunnableTask, TaskWork } from '#tasks/task.ts';
import { Thread } from '../threads/thread.ts';
import type { TargetSettings } from '../backup/open-target.ts';

/** Options of the thread that scrubs, which runs no user code. */
export interface ScrubPlace {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  /** Null where there are no backups. */
  readonly target: TargetSettings | null;
  /** The memory of `Followers`, which tells how far the state is. */
  readonly followers: SharedArrayBuffer;
}

export type ScrubPart = 'state' | 'derived' | 'rows' | 'log' | 'index' | 'backups';

/** Something that is not what was written. */
export interface Damage {
  readonly part: ScrubPart;
  /** Where it is: names nothing of the content. */
  readonly place: string;
}

/** How much there was of each part. */
export interface ScrubRead {
  readonly entries: number;
  /** Entries that were compared with the nodes that they are of: indexes and the like. */
  readonly derived: number;
  /** Nodes whose packed rows were compared with the keys. */
  readonly rows: number;
  readonly commits: number;
  readonly indexFiles: number;
  readonly backups: number;
}

/** Progress while it reads. A damage is told as soon as it is found: what follows may fail. */
export type ScrubStep =
  | { readonly kind: 'progress'; readonly fraction: number; readonly step: string }
  | { readonly kind: 'damage'; readonly damage: Damage }
  /** Damages that are not named one by one. */
  | { readonly kind: 'unnamed'; readonly part: ScrubPart; readonly count: number }
  | { readonly kind: 'note'; readonly text: string };

export interface ScrubCalls {
  /** Called once: the thread ends with it. */
  scrub(given: undefined, step: ScrubStep): ScrubRead;
}

/** Says what to do about damage. */
const REMEDIES: Readonly<Record<ScrubPart, string>> = {
  state: 'Restore the newest backup into an empty folder, or start a replica anew and promote it.',
  derived:
    'Remove the index and add it again. Where it is no index, restore the newest backup that "trellis backup verify" finds good.',
  rows: 'Nothing: they are packed again from the keys, which queries ask until then. Check the disk.',
  log: 'Take a backup now: the state has what the log says. Then check the disk.',
  index: 'Restart the server: an index that is damaged is built anew.',
  backups:
    'Run "trellis backup verify" with its id: the next backup then writes anew what is damaged.',
};

interface ScrubReport extends ScrubRead {
  readonly damageCount: number;
}

export interface StorageScrubParts {
  readonly place: ScrubPlace;
  readonly logger: Logger;
  /** Has packed rows made again. */
  readonly repackRows: () => Promise<void>;
}

/** Reads all that is kept, and remembers whether it was whole. */
export class StorageScrub implements AsyncDisposable {
  readonly #parts: StorageScrubParts;
  readonly #ending = new AbortController();
  /** For each thread that runs, a promise that resolves when it has ended. */
  readonly #running = new Set<Promise<Error>>();
  #isDamaged = false;

  constructor(parts: StorageScrubParts) {
    this.#parts = parts;
  }

  /**
   * Whether a scrub found a damage since the last one that found none. Not known after a restart.
   */
  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** Beside those of `app/build/tasks.ts`. */
  get task(): RunnableTask {
    return {
      name: 'storage-scrub',
      description:
        'Reads state, log, index and backups slowly, and compares all of it with its checks, and indexes with the nodes; fails when something is damaged.',
      run: (work) => this.#run(work),
    };
  }

  async #run(work: TaskWork): Promise<ScrubReport> {
    const damages: Damage[] = [];
    let damageCount = 0;
    let areRowsWrong = false;
    const read = await this.#read(work, (step) => {
      if (step.kind === 'note') return work.log(step.text);
      areRowsWrong ||= (step.kind === 'damage' ? step.damage : step).part === 'rows';
      this.#isDamaged = true;
      damageCount += step.kind === 'unnamed' ? step.count : 1;
      if (step.kind === 'unnamed') {
        return work.log(`${step.count} more are damaged in ${step.part}.`);
      }
      const { damage } = step;
      if (damages.length >= SCRUB_DAMAGES_NAMED_MAX) return;
      damages.push(damage);
      const { part, place } = damage;
      this.#parts.logger.error({ part, place }, 'what is stored is damaged');
      work.log(`Damaged in ${part}: ${place}. ${REMEDIES[part]}`);
    });
    if (areRowsWrong) await this.#parts.repackRows();
    this.#isDamaged = damageCount > 0;
    const { entries, derived, rows, commits, indexFiles, backups } = read;
    work.log(
      `${derived} entries of indexes and the like were compared with the nodes, and the packed rows of ${rows} nodes.`,
    );
    work.log(
      `${entries} entries of the state, ${commits} commits of the log, ${indexFiles} files of the index and ${backups} backups were read.`,
    );
    if (damageCount === 0) return { ...read, damageCount };
    const told = damages.map((one) => ({ ...one, remedy: REMEDIES[one.part] }));
    throw new Problem('storage_damaged', `${damageCount} places of what is stored are damaged`, {
      details: { damageCount, damages: told },
    });
  }

  async #read(
    { signal, progress }: TaskWork,
    onFound: (step: Exclude<ScrubStep, { kind: 'progress' }>) => void,
  ): Promise<ScrubRead> {
    const thread = new Thread<ScrubCalls, object>({
      name: 'the thread that scrubs',
      file: new URL('./scrub-worker.ts', import.meta.url),
      data: this.#parts.place,
      handlers: {},
    });
    this.#running.add(thread.exited);
    void thread.exited.then(() => this.#running.delete(thread.exited));
    return await thread.ask('scrub', undefined, {
      signal: AbortSignal.any([signal, this.#ending.signal]),
      reason: new Problem('job_cancelled', 'The scrub was cancelled.'),
      onProgress: (step) => {
        if (step.kind === 'progress') progress(step.fraction, step.step);
        else onFound(step);
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#running);
  }
}
