import { CHANGES_KEPT_BYTES_MAX, CHANGES_KEPT_COMMITS_MAX } from '#base/change-limits.ts';
import { changesOfCommit, type CommitChanges } from '#graph/node-changes.ts';
import type { SchemaRegistry } from '#graph/schema-registry.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';
import type { LogRecord } from '#log/commit-log.ts';
import type { LogTail } from '#log/log-tail.ts';

export interface CommitSource {
  readonly log: Pick<LogTail, 'firstSequence' | 'read'>;
  readonly applied: Pick<AppliedSequence, 'get' | 'onChange'>;
  /** The newest schema. */
  readonly registry: () => SchemaRegistry;
}

/** A commit of the log, decoded when the first who reads it wants its changes. */
export interface DecodedCommit {
  readonly first: number;
  readonly last: number;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly bytes: number;
  readonly payload: Uint8Array;
  readonly changes: CommitChanges;
}

/**
 * The log for those who follow its changes. The newest commits that somebody has read are kept:
 * however many read them, each is read and decoded once. Who lags further behind reads the log for
 * themselves.
 */
export class CommitWindow {
  readonly applied: CommitSource['applied'];
  readonly #source: CommitSource;
  /** Without a gap, the oldest first. */
  #kept: DecodedCommit[] = [];
  #bytes = 0;
  #filling: Promise<void> | undefined;

  constructor(source: CommitSource) {
    this.#source = source;
    this.applied = source.applied;
  }

  /** The schema of now, by which former names of types and edges are told. */
  get registry(): SchemaRegistry {
    return this.#source.registry();
  }

  get firstSequence(): number {
    return this.#source.log.firstSequence;
  }

  /** The commits after a sequence, up to what is applied. Rejects with `log_trimmed`. */
  async *read(after: number): AsyncGenerator<DecodedCommit> {
    let next = after + 1;
    while (next <= this.applied.get()) {
      const found = this.#find(next);
      if (found !== undefined) {
        yield found;
        next = found.last + 1;
        continue;
      }
      const [oldest] = this.#kept;
      if (oldest === undefined || next > oldest.first) {
        await this.#readOn(next);
        continue;
      }
      const records = this.#source.log.read(next);
      const schema = this.#source.registry();
      for await (const record of records) {
        yield decoded(record, schema);
        next = record.last + 1;
        if (this.#find(next) !== undefined) break;
      }
    }
  }

  #find(sequence: number): DecodedCommit | undefined {
    const kept = this.#kept;
    let [low, high] = [0, kept.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (kept[middle]!.last < sequence) low = middle + 1;
      else high = middle;
    }
    const found = kept[low];
    return found !== undefined && found.first <= sequence ? found : undefined;
  }

  /** Once at a time; who waits looks again. */
  async #readOn(next: number): Promise<void> {
    if (this.#filling !== undefined) return this.#filling.catch(() => undefined);
    const filling = this.#fill(next).finally(() => (this.#filling = undefined));
    this.#filling = filling;
    return filling;
  }

  async #fill(next: number): Promise<void> {
    const records = this.#source.log.read(next);
    // No older than what is read: that ends where the state was when it began.
    const schema = this.#source.registry();
    let [commits, bytes] = [0, 0];
    for await (const record of records) {
      if (this.#kept.at(-1)?.last !== record.first - 1) {
        this.#kept = [];
        this.#bytes = 0;
      }
      const commit = decoded(record, schema);
      this.#kept.push(commit);
      this.#bytes += commit.bytes;
      bytes += commit.bytes;
      if (++commits >= CHANGES_KEPT_COMMITS_MAX / 2 || bytes >= CHANGES_KEPT_BYTES_MAX / 2) break;
    }
    this.#forget();
  }

  /** The newest commit stays, however large it is. */
  #forget(): void {
    const kept = this.#kept;
    let count = 0;
    while (
      kept.length - count > 1 &&
      (kept.length - count > CHANGES_KEPT_COMMITS_MAX || this.#bytes > CHANGES_KEPT_BYTES_MAX)
    ) {
      this.#bytes -= kept[count]!.bytes;
      count++;
    }
    kept.splice(0, count);
  }
}

function decoded({ first, last, time, payload }: LogRecord, schema: SchemaRegistry): DecodedCommit {
  let changes: CommitChanges | undefined;
  return {
    first,
    last,
    time,
    bytes: payload.length,
    payload,
    get changes() {
      return (changes ??= changesOfCommit(payload, schema));
    },
  };
}
