import type { BackupHeader } from '#backup/backup-header.ts';
import type { BackupWork } from '#backup/backup-service.ts';
import type { WorkProgress } from '#backup/work-progress.ts';
import { BACKUP_THREAD_IDLE_MS } from '#base/backup-limits.ts';
import { Problem } from '#base/problem.ts';
import type { RetentionRule } from '#backup/retention.ts';
import type { CallOptions } from '../threads/channel.ts';
import { Thread } from '../threads/thread.ts';
import type { TargetSettings } from './open-target.ts';

/** Options of the thread that works on backups, which runs no user code. */
export interface BackupPlace {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly target: TargetSettings;
  readonly retention: RetentionRule;
  readonly version: string;
  /** The memory of `Followers`, which tells how far the state is. */
  readonly followers: SharedArrayBuffer;
}

/** Progress while it works. */
export type BackupStep =
  | { readonly kind: 'progress'; readonly progress: number; readonly step: string }
  | { readonly kind: 'log'; readonly text: string };

/** The calls that this thread answers, one at a time. */
export interface BackupCalls {
  run(given: undefined, step: BackupStep): BackupHeader;
  verify(id: string, step: BackupStep): void;
  remove(id: string, step: BackupStep): void;
  /** Nothing more will be asked for: the thread ends. */
  end(): void;
}

const SILENT: WorkProgress = {
  signal: new AbortController().signal,
  report: () => undefined,
  log: () => undefined,
};

type WorkThread = Thread<BackupCalls, object>;

interface IdleThread {
  readonly thread: WorkThread;
  readonly timer: NodeJS.Timeout;
}

/**
 * Does the work on backups in a thread, which stays for a while in case there is more to do: to
 * start one takes longer than a backup of what has hardly changed.
 */
export class BackupThread implements BackupWork, AsyncDisposable {
  readonly #place: BackupPlace;
  /** All that live. */
  readonly #threads = new Set<WorkThread>();
  readonly #ending = new AbortController();
  #idle: IdleThread | undefined;

  constructor(place: BackupPlace) {
    this.#place = place;
  }

  run(progress: WorkProgress): Promise<BackupHeader> {
    return this.#use((thread, options) => thread.ask('run', undefined, options), progress);
  }

  verify(id: string, progress: WorkProgress): Promise<void> {
    return this.#use((thread, options) => thread.ask('verify', id, options), progress);
  }

  remove(id: string): Promise<void> {
    return this.#use((thread, options) => thread.ask('remove', id, options), SILENT);
  }

  /** What runs is asked to end; what it has written is used by the next run. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    this.#endIdle();
    await Promise.all([...this.#threads].map(({ exited }) => exited));
  }

  async #use<T>(
    work: (thread: WorkThread, options: CallOptions<BackupStep>) => Promise<T>,
    progress: WorkProgress,
  ): Promise<T> {
    const thread = this.#takeIdle() ?? this.#start();
    try {
      return await work(thread, {
        signal: AbortSignal.any([progress.signal, this.#ending.signal]),
        reason: new Problem('job_cancelled', 'The work on backups was cancelled.'),
        onProgress: (step) => {
          if (step.kind === 'log') progress.log(step.text);
          else progress.report(step.progress, step.step);
        },
      });
    } finally {
      this.#leave(thread);
    }
  }

  #start(): WorkThread {
    const thread: WorkThread = new Thread<BackupCalls, object>({
      name: 'the thread for backups',
      file: new URL('./backup-worker.ts', import.meta.url),
      data: this.#place,
      handlers: {},
      // Whoever waits for its work hears of it; an idle one is not missed.
      onEnd: () => {
        this.#threads.delete(thread);
        if (this.#idle?.thread === thread) this.#takeIdle();
      },
    });
    this.#threads.add(thread);
    return thread;
  }

  /** Its work is done. */
  #leave(thread: WorkThread): void {
    this.#endIdle();
    if (!this.#threads.has(thread)) return;
    const timer = setTimeout(() => this.#endIdle(), BACKUP_THREAD_IDLE_MS).unref();
    this.#idle = { thread, timer };
    if (this.#ending.signal.aborted) this.#endIdle();
  }

  #takeIdle(): WorkThread | undefined {
    const idle = this.#idle;
    this.#idle = undefined;
    clearTimeout(idle?.timer);
    return idle?.thread;
  }

  #endIdle(): void {
    this.#takeIdle()?.tell('end');
  }
}
