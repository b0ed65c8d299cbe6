import { Problem } from '#base/problem.ts';
import { SCRUB_DAMAGES_NAMED_MAX } from '#base/limits.ts';
import type { Logger } from '#observe/logger.ts';
import type { RunnableTask, TaskWork } from '#tasks/task.ts';
import { Thread } from '../threads/thread.ts';
import type { Damage, ScrubCalls, ScrubPart, ScrubPlace, ScrubRead } from './scrub-messages.ts';

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
  readonly #ending = new AbortController();
  /** What resolves when a thread has ended, for each that runs. */
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

  /** For tasks: those of `app/build/built-in-tasks.ts`. */
  get task(): RunnableTask {
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
        if (step.kind === 'damage') onDamage(step.damage);
        else progress(step.fraction, step.step);
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#running);
  }
}
