import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { type CommitLog, digestAt, type LogRecord } from './commit-log.ts';
import { CommitQueue, type QueuedCommit } from './commit-queue.ts';

/**
 * A commit log in two places. The authority is where it outlives this machine; the copy is in the
 * folder of the process, where all its threads read it as they do without an authority.
 *
 *     append = the authority has it, then the copy, then it is acknowledged
 *
 * So the copy never has what the authority lacks. What the copy lacks, since another member
 * appended it or this one was killed in between, it gets when the log is opened.
 */
export interface MirroredLogOptions {
  readonly authority: CommitLog;
  /** Both are disposed of with the log, but for a copy that somebody closes later. */
  readonly copy: CommitLog;
  readonly keepsCopy?: boolean;
  readonly clock: Clock;
  /** The authority has commits that the copy has no room for; they are tried again. */
  readonly onCopyFailing?: (problem: unknown) => void;
}

/** As much as is read ahead of the copy. */
const CATCH_UP_RECORDS_MAX = 1_000;
const CATCH_UP_BYTES_MAX = 8 * 1024 * 1024;
const RETRY_DELAY_MS = 500;

/**
 * Brings the copy up to the end of the authority. Rejects with `state_log_mismatch` when the copy
 * is of another history, with `log_trimmed` when the authority has dropped what the copy lacks.
 */
export async function openMirroredLog(options: MirroredLogOptions): Promise<CommitLog> {
  await catchUp(options);
  return new MirroredLog(options);
}

interface Copying {
  readonly authority: Pick<CommitLog, 'epoch' | 'firstSequence' | 'lastSequence' | 'read'>;
  readonly copy: CommitLog;
}

/** Gives the copy what it lacks. Rejects as `openMirroredLog` does. */
export async function catchUp({ authority, copy }: Copying): Promise<void> {
  await checkSameHistory({ authority, copy });
  let waiting: LogRecord[] = [];
  let bytes = 0;
  const write = async (): Promise<void> => {
    await appendAll(copy, waiting);
    waiting = [];
    bytes = 0;
  };
  for await (const record of authority.read(copy.lastSequence + 1)) {
    waiting.push(record);
    bytes += record.payload.length;
    if (waiting.length >= CATCH_UP_RECORDS_MAX || bytes >= CATCH_UP_BYTES_MAX) await write();
  }
  await write();
}

/** In one turn, so that they share a write and a sync. */
async function appendAll(log: CommitLog, records: readonly LogRecord[]): Promise<void> {
  const appended = records.map(({ first, last, payload, time }) =>
    log.append(last - first + 1, payload, time),
  );
  await Promise.all(appended);
}

async function checkSameHistory({ authority, copy }: Copying): Promise<void> {
  const { lastSequence } = copy;
  if (copy.epoch !== authority.epoch) {
    throw otherHistory(`its epoch is ${copy.epoch}, not ${authority.epoch}`);
  }
  if (lastSequence > authority.lastSequence) {
    throw otherHistory(`it ends at ${lastSequence}, the common log at ${authority.lastSequence}`);
  }
  const [own, common] = [
    await digestAt(copy, lastSequence),
    await digestAt(authority, lastSequence),
  ];
  if (own === undefined || common === undefined || own === common) return;
  throw otherHistory(`its record at ${lastSequence} differs from that of the common log`);
}

function otherHistory(what: string): Problem {
  return new Problem(
    'state_log_mismatch',
    `the log of this folder is not of the common one: ${what}`,
    { hint: 'Empty the folder; the member then copies the workspace from the others.' },
  );
}

class MirroredLog implements CommitLog {
  readonly #options: MirroredLogOptions;
  readonly #queue: CommitQueue;
  #isClosing = false;

  constructor(options: MirroredLogOptions) {
    this.#options = options;
    this.#queue = new CommitQueue({
      clock: options.clock,
      lastSequence: options.copy.lastSequence,
      write: (group) => this.#write(group),
    });
  }

  get epoch(): string {
    return this.#options.copy.epoch;
  }

  get firstSequence(): number {
    return this.#options.copy.firstSequence;
  }

  get lastSequence(): number {
    return this.#queue.lastSequence;
  }

  append(count: number, payload: Uint8Array, time?: number): Promise<number> {
    return this.#queue.append(count, payload, time);
  }

  read(from: number): AsyncIterable<LogRecord> {
    return this.#options.copy.read(from);
  }

  onDurable(listener: (lastSequence: number) => void): () => void {
    return this.#queue.onDurable(listener);
  }

  bytesAfter(sequence: number): number {
    return this.#options.copy.bytesAfter(sequence);
  }

  /** Of the copy alone: what the authority keeps is for all members to say. */
  trim(keepAfter: number): Promise<void> {
    return this.#options.copy.trim(keepAfter);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    await this.#queue.close();
    if (this.#options.keepsCopy !== true) await this.#options.copy[Symbol.asyncDispose]();
    await this.#options.authority[Symbol.asyncDispose]();
  }

  async #write(group: readonly QueuedCommit[]): Promise<void> {
    const records = group.map(({ first, count, time, payload }) => {
      return { first, last: first + count - 1, time, payload };
    });
    await appendAll(this.#options.authority, records);
    await this.#copy(records);
  }

  /** Does not give up: the commits are made, whatever the folder of this member can take. */
  async #copy(records: readonly LogRecord[]): Promise<void> {
    const { copy, onCopyFailing } = this.#options;
    for (;;) {
      try {
        await appendAll(
          copy,
          records.filter(({ first }) => first > copy.lastSequence),
        );
        return;
      } catch (error) {
        if (this.#isClosing) throw error;
        onCopyFailing?.(error);
        await sleep(RETRY_DELAY_MS);
      }
    }
  }
}
