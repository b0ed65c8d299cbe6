import type { Worker } from 'node:worker_threads';
import type { BackupHeader } from '#backup/backup-header.ts';
import type { BackupWork } from '#backup/backup-service.ts';
import type { WorkProgress } from '#backup/work-progress.ts';
import { must } from '#base/assert.ts';
import { startThread } from '../start-thread.ts';
import { errorOf } from '../thread-failure.ts';
import type { BackupRequest, BackupTask, FromBackup, ToBackup } from './backup-messages.ts';

const SILENT: WorkProgress = {
  signal: new AbortController().signal,
  report: () => undefined,
  log: () => undefined,
};

/** Does the work on backups in a thread that is there for as long as the work takes. */
export class BackupThread implements BackupWork, AsyncDisposable {
  readonly #task: Omit<BackupTask, 'request'>;
  readonly #running = new Map<Worker, Promise<unknown>>();

  constructor(task: Omit<BackupTask, 'request'>) {
    this.#task = task;
  }

  async run(progress: WorkProgress): Promise<BackupHeader> {
    return must(await this.#do({ kind: 'run' }, progress), 'the backup that was made');
  }

  async verify(id: string, progress: WorkProgress): Promise<void> {
    await this.#do({ kind: 'verify', id }, progress);
  }

  async remove(id: string): Promise<void> {
    await this.#do({ kind: 'remove', id }, SILENT);
  }

  /** What runs is asked to end; what it has written is used by the next run. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#running.keys()) {
      worker.postMessage({ kind: 'cancel' } satisfies ToBackup);
    }
    await Promise.allSettled(this.#running.values());
  }

  #do(request: BackupRequest, progress: WorkProgress): Promise<BackupHeader | undefined> {
    const task: BackupTask = { ...this.#task, request };
    const worker = startThread(new URL('./backup-worker.ts', import.meta.url), task);
    const done = follow(worker, progress).finally(() => this.#running.delete(worker));
    this.#running.set(worker, done);
    return done;
  }
}

/** Resolves when the thread has ended, so that nobody uses the store any more. */
async function follow(worker: Worker, progress: WorkProgress): Promise<BackupHeader | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<BackupHeader | undefined>();
  const cancel = (): void => worker.postMessage({ kind: 'cancel' } satisfies ToBackup);
  progress.signal.addEventListener('abort', cancel, { once: true });
  let end: () => void = () => reject(new Error('the thread for backups ended before its work did'));
  worker.on('message', (message: FromBackup) => {
    if (message.kind === 'progress') progress.report(message.progress, message.step);
    if (message.kind === 'log') progress.log(message.text);
    if (message.kind === 'done') end = () => resolve(message.header);
    if (message.kind === 'failed') end = () => reject(errorOf(message.failure));
  });
  worker.on('error', reject);
  worker.on('exit', () => end());
  try {
    return await promise;
  } finally {
    progress.signal.removeEventListener('abort', cancel);
  }
}
