import type { Worker } from 'node:worker_threads';
import { Problem } from '#base/problem.ts';
import type { Logger } from '#observe/logger.ts';
import type { BuiltInTask, TaskWork } from '#tasks/task.ts';
import { startThread } from '../start-thread.ts';
import { errorOf } from '../thread-failure.ts';
import type { FromScrub, ScrubPart, ScrubPlace, ScrubReport, ToScrub } from './scrub-messages.ts';

/** What to do about a damage. */
const REMEDIES: Readonly<Record<ScrubPart, string>> = {
  state: 'Restore the newest backup into an empty folder, or start a replica anew and promote it.',
  log: 'Take a backup now: the state has what the log says. Then check the disk.',
  index: 'Restart the server: an index that is damaged is built anew.',
  backups:
    'Run "trellis backup verify" with its id: the next backup then writes anew what is damaged.',
};

export interface StorageScrubParts {
  readonly place: ScrubPlace;
  readonly logger: Logger;
}

/** Reads all that is kept, and remembers whether it was whole. */
export class StorageScrub implements AsyncDisposable {
  readonly #parts: StorageScrubParts;
  /** Those that run, with what tells that they have ended. */
  readonly #threads = new Map<Worker, Promise<void>>();
  #isDamaged = false;

  constructor(parts: StorageScrubParts) {
    this.#parts = parts;
  }

  /** Whether the newest scrub that came to its end found a damage. Not known behind a restart. */
  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** For tasks: those of `app/built-in-tasks.ts`. */
  get task(): BuiltInTask {
    return {
      name: 'storage-scrub',
      description:
        'Reads state, log, index and backups slowly, and compares all of it with its checks; fails when something is damaged.',
      run: (work) => this.#run(work),
    };
  }

  async #run(work: TaskWork): Promise<ScrubReport> {
    const report = await this.#read(work);
    const { entries, commits, indexFiles, backups, damages, damageCount } = report;
    this.#isDamaged = damageCount > 0;
    work.log(
      `${entries} entries of the state, ${commits} commits of the log, ${indexFiles} files of the index and ${backups} backups were read.`,
    );
    if (damageCount === 0) return report;
    const told = damages.map((one) => ({ ...one, remedy: REMEDIES[one.part] }));
    for (const { part, place, remedy } of told) {
      this.#parts.logger.error({ part, place }, 'what is stored is damaged');
      work.log(`Damaged in ${part}: ${place}. ${remedy}`);
    }
    throw new Problem('storage_damaged', `${damageCount} places of what is stored are damaged`, {
      details: { damageCount, damages: told },
    });
  }

  async #read({ signal, progress }: TaskWork): Promise<ScrubReport> {
    const worker = startThread(new URL('./scrub-worker.ts', import.meta.url), this.#parts.place);
    const { promise, resolve, reject } = Promise.withResolvers<ScrubReport>();
    const ended = new Promise<void>((settle) => {
      worker.once('exit', () => {
        this.#threads.delete(worker);
        reject(new Error('the thread that scrubs ended before its work did'));
        settle();
      });
    });
    this.#threads.set(worker, ended);
    worker.on('error', reject);
    worker.on('message', (message: FromScrub) => {
      if (message.kind === 'progress') progress(message.fraction, message.step);
      else if (message.kind === 'done') resolve(message.report);
      else reject(errorOf(message.failure));
    });
    const cancel = (): void => askToEnd(worker);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      if (signal.aborted) cancel();
      return await promise;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#threads.keys()) askToEnd(worker);
    await Promise.all(this.#threads.values());
  }
}

function askToEnd(worker: Worker): void {
  worker.postMessage({ kind: 'cancel' } satisfies ToScrub);
}
