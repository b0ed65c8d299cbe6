import type { Worker } from 'node:worker_threads';
import { Problem } from '#base/problem.ts';
import { SCRUB_DAMAGES_NAMED_MAX } from '#base/limits.ts';
import type { Logger } from '#observe/logger.ts';
import type { BuiltInTask, TaskWork } from '#tasks/task.ts';
import { startThread } from '../start-thread.ts';
import { errorOf } from '../thread-failure.ts';
import type {
  Damage,
  FromScrub,
  ScrubPart,
  ScrubPlace,
  ScrubRead,
  ToScrub,
} from './scrub-messages.ts';

/** What to do about a damage. */
const REMEDIES: Readonly<Record<ScrubPart, string>> = {
  state: 'Restore the newest backup into an empty folder, or start a replica anew and promote it.',
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

  /** Whether a scrub found a damage since the last one that found none. Not known after a restart. */
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
    const damages: Damage[] = [];
    let damageCount = 0;
    const read = await this.#read(work, (damage) => {
      this.#isDamaged = true;
      if (++damageCount > SCRUB_DAMAGES_NAMED_MAX) return;
      damages.push(damage);
      const { part, place } = damage;
      this.#parts.logger.error({ part, place }, 'what is stored is damaged');
      work.log(`Damaged in ${part}: ${place}. ${REMEDIES[part]}`);
    });
    this.#isDamaged = damageCount > 0;
    const { entries, commits, indexFiles, backups } = read;
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
    onDamage: (damage: Damage) => void,
  ): Promise<ScrubRead> {
    const worker = startThread(new URL('./scrub-worker.ts', import.meta.url), this.#parts.place);
    const { promise, resolve, reject } = Promise.withResolvers<ScrubRead>();
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
      else if (message.kind === 'damage') onDamage(message.damage);
      else if (message.kind === 'done') resolve(message.read);
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
