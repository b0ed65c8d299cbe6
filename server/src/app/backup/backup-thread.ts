import type { Worker } from 'node:worker_threads';
import type { BackupHeader } from '#backup/backup-header.ts';
import type { BackupWork } from '#backup/backup-service.ts';
import type { WorkProgress } from '#backup/work-progress.ts';
import { must } from '#base/assert.ts';
import { BACKUP_THREAD_IDLE_MS } from '#base/backup-limits.ts';
import { startThread } from '../start-thread.ts';
import { errorOf } from '../thread-failure.ts';
import type { BackupPlace, BackupRequest, FromBackup, ToBackup } from './backup-messages.ts';

const SILENT: WorkProgress = {
  signal: new AbortController().signal,
  report: () => undefined,
  log: () => undefined,
};

interface IdleThread {
  readonly worker: Worker;
  readonly timer: NodeJS.Timeout;
}

/**
 * Does the work on backups in a thread, which stays for a while in case there is more to do: to start one takes longer than a backup
 * of what has hardly changed.
 */
export class BackupThread implements BackupWork, AsyncDisposable {
  readonly #place: BackupPlace;
  /** All that live, with what tells that they have ended. */
  readonly #threads = new Map<Worker, Promise<void>>();
  #idle: IdleThread | undefined;
  #isEnding = false;

  constructor(place: BackupPlace) {
    this.#place = place;
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
    this.#isEnding = true;
    this.#endIdle();
    for (const worker of this.#threads.keys()) send(worker, { kind: 'cancel' });
    await Promise.all(this.#threads.values());
  }

  async #do(request: BackupRequest, progress: WorkProgress): Promise<BackupHeader | undefined> {
    const worker = this.#takeIdle() ?? this.#start();
    try {
      return await follow(worker, request, progress);
    } finally {
      this.#leave(worker);
    }
  }

  #start(): Worker {
    const worker = startThread(new URL('./backup-worker.ts', import.meta.url), this.#place);
    const ended = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        this.#threads.delete(worker);
        if (this.#idle?.worker === worker) this.#takeIdle();
        resolve();
      });
    });
    // Whoever waits for its work hears of it; an idle one is not missed.
    worker.on('error', () => undefined);
    this.#threads.set(worker, ended);
    return worker;
  }

  /** Its work is done. */
  #leave(worker: Worker): void {
    this.#endIdle();
    if (!this.#threads.has(worker)) return;
    const timer = setTimeout(() => this.#endIdle(), BACKUP_THREAD_IDLE_MS).unref();
    this.#idle = { worker, timer };
    if (this.#isEnding) this.#endIdle();
  }

  #takeIdle(): Worker | undefined {
    const idle = this.#idle;
    this.#idle = undefined;
    clearTimeout(idle?.timer);
    return idle?.worker;
  }

  #endIdle(): void {
    const worker = this.#takeIdle();
    if (worker !== undefined) send(worker, { kind: 'end' });
  }
}

async function follow(
  worker: Worker,
  request: BackupRequest,
  progress: WorkProgress,
): Promise<BackupHeader | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<BackupHeader | undefined>();
  const cancel = (): void => send(worker, { kind: 'cancel' });
  const onMessage = (message: FromBackup): void => {
    if (message.kind === 'progress') progress.report(message.progress, message.step);
    if (message.kind === 'log') progress.log(message.text);
    if (message.kind === 'done') resolve(message.header);
    if (message.kind === 'failed') reject(errorOf(message.failure));
  };
  const onExit = (): void => reject(new Error('the thread for backups ended before its work did'));
  worker.on('message', onMessage);
  worker.on('error', reject);
  worker.on('exit', onExit);
  progress.signal.addEventListener('abort', cancel, { once: true });
  try {
    send(worker, { kind: 'do', request });
    return await promise;
  } finally {
    progress.signal.removeEventListener('abort', cancel);
    worker.off('message', onMessage);
    worker.off('error', reject);
    worker.off('exit', onExit);
  }
}

function send(worker: Worker, message: ToBackup): void {
  worker.postMessage(message);
}
