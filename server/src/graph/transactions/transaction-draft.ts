import { INGEST_COMMIT_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import { TRANSACTION_CHARACTERS_MAX } from '#base/transaction-limits.ts';
import { Problem } from '#base/problem.ts';
import { randomUid } from '#base/uid.ts';
import { DB } from '#store/databases.ts';
import { OverlaidBatch } from '#store/overlaid-batch.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import { Overlay, OverlayReader } from '#store/overlay.ts';
import { buildCommit } from '../graph-writer.ts';
import { KeyEncoder, META } from '../keys.ts';
import type { ForeseenOutcome, TransactionSight, WriterOperation } from '../operations.ts';
import { StateReader } from '../state-reader.ts';
import { readCount, WriterMemory } from '../writer-memory.ts';
import { MovingState } from './moving-state.ts';
import { keyText, type ReadKeys, ReadSet, RecordingReader } from './read-set.ts';
import { LineSnapshot } from './line-snapshot.ts';
import type { ReadSnapshot, Snapshot } from './snapshots.ts';

/** What the writer is sent of a transaction. */
export interface DraftedTransaction {
  readonly operations: readonly WriterOperation[];
  readonly sight: TransactionSight;
}

/** Writes that were made together: all of them were possible. */
interface DraftedWrite {
  /** Who made them: see `undo`. */
  readonly author: number;
  /** JSON of the operations, without the brackets around them. */
  readonly text: string;
  readonly outcomes: readonly ForeseenOutcome[];
}

/**
 * What drafts are written and read with. One serves all drafts of a thread, whichever is at work:
 * to make one takes longer than a write, since it decodes the schema.
 */
class DraftDesk {
  readonly #view = new MovingState();
  readonly #memory = new WriterMemory(this.#view, false);
  #reader: StateReader | undefined;

  /** To be used before the desk shows another draft. */
  readerOf(state: KeyValueReader, sequence: number): StateReader {
    this.#view.move(state, sequence);
    this.#reader ??= new StateReader(this.#view, this.#view);
    this.#reader.refresh();
    return this.#reader;
  }

  /** The same. */
  memoryOf(state: KeyValueReader, sequence: number): WriterMemory {
    this.#view.move(state, sequence);
    return this.#memory;
  }

  /** Nothing that it has shown is kept alive. */
  clear(): void {
    this.#view.leave();
  }
}

const NO_READS: ReadKeys = { points: [], ranges: [] };

/** Only administrators write code: it may also say who sees what. */
const CIRCUMSTANCES = {
  firstIndex: 0,
  outcomes: true,
  randomUid,
  hashesIndexes: false,
  accessControl: true,
} as const;

/** Where drafts are made, of one thread. */
export class TransactionDrafts {
  readonly #desk = new DraftDesk();

  begin(snapshot: ReadSnapshot, now: () => number): TransactionDraft {
    return new TransactionDraft(snapshot, now, this.#desk);
  }

  /** `base` is the caller's to give back. */
  beginLine(base: Snapshot): LineSnapshot {
    return new LineSnapshot(base, (state, sequence) => this.#desk.readerOf(state, sequence));
  }
}

/**
 * The writes of a transaction before they are committed, on top of the commit that it reads. Each
 * is tried at once, by the code that the writer runs, so that its author is told what comes of it,
 * and reads it back. The writer does all of it again: what is sent to it are the operations, what
 * was read, and what the author was told.
 */
export class TransactionDraft implements Disposable {
  readonly #snapshot: ReadSnapshot;
  readonly #now: () => number;
  readonly #desk: DraftDesk;
  /**
   * What the attempts have read: noted once one was refused, as its author has seen it then; or
   * from the beginning when others read what they have written.
   */
  #attempts: ReadSet | undefined;
  /** What the attempts have written. */
  #batches: OverlaidBatch[] = [];
  #overlay = new Overlay();
  /** The snapshot with the writes. */
  #shown: KeyValueReader;
  #writes: DraftedWrite[] = [];
  /** Those before them that were taken: see `keep`. */
  readonly #kept: DraftedWrite[] = [];
  #operations = 0;
  #characters = 0;

  constructor(snapshot: ReadSnapshot, now: () => number, desk: DraftDesk = new DraftDesk()) {
    this.#snapshot = snapshot;
    this.#now = now;
    this.#desk = desk;
    if (snapshot.base !== snapshot) this.#attempts = this.#newReads();
    this.#shown = this.#overlaid();
  }

  get isEmpty(): boolean {
    return this.#writes.length === 0;
  }

  /** What it has written so far, as the writer would write it. */
  get payloads(): readonly Uint8Array[] {
    return this.#batches.map(({ payload }) => payload);
  }

  /** Shows the snapshot with the writes, until another draft is written or read. */
  get reader(): StateReader {
    return this.#desk.readerOf(this.#shown, this.#snapshot.sequence);
  }

  /**
   * Makes writes, all of them or none. `text` is JSON of a list. Throws the problem that refuses
   * them.
   */
  write(text: string, author: number): readonly ForeseenOutcome[] {
    try {
      return this.#add(text.slice(1, -1), author).outcomes;
    } catch (error) {
      if (this.#attempts === undefined) this.#noteAttempts(text);
      throw error;
    }
  }

  /**
   * Takes back what these authors have written. False when what others have written is not what it
   * was without it: then nothing may come of the transaction.
   */
  undo(authors: ReadonlySet<number>): boolean {
    const kept = this.#writes.filter(({ author }) => !authors.has(author));
    if (kept.length === this.#writes.length) return true;
    this.#overlay = new Overlay();
    this.#batches = [];
    this.#shown = this.#overlaid();
    this.#writes = [];
    this.#operations = 0;
    this.#characters = 0;
    try {
      for (const { text, outcomes } of this.#kept) {
        this.#attempt(JSON.parse(`[${text}]`) as unknown[], outcomes);
      }
      return kept.every((write) => {
        const { outcomes } = this.#add(write.text, write.author, write.outcomes);
        return outcomes.every(({ uid, changed }, i) => {
          const told = write.outcomes[i];
          return told?.uid === uid && told.changed === changed;
        });
      });
    } catch {
      return false;
    }
  }

  /** The writes were taken elsewhere: they go on to show, and the next ones are on top of them. */
  keep(): void {
    this.#kept.push(...this.#writes);
    this.#writes = [];
    this.#operations = 0;
    this.#characters = 0;
  }

  /** JSON of a `DraftedTransaction`. */
  toJson(reads: ReadKeys = NO_READS): string {
    const operations = this.#writes.map(({ text }) => text).join();
    const sight: TransactionSight = {
      sequence: this.#snapshot.sequence,
      reads: this.#attempts === undefined ? reads : together(reads, this.#attempts.toKeys()),
      outcomes: this.#writes.flatMap(({ outcomes }) => outcomes),
    };
    return `{"operations":[${operations}],"sight":${JSON.stringify(sight)}}`;
  }

  [Symbol.dispose](): void {
    this.#desk.clear();
  }

  #add(text: string, author: number, told?: readonly ForeseenOutcome[]): DraftedWrite {
    const operations = JSON.parse(`[${text}]`) as readonly unknown[];
    this.#checkSize(operations.length, text.length);
    const outcomes = this.#attempt(operations, told);
    const write = { author, text, outcomes };
    this.#writes.push(write);
    this.#operations += operations.length;
    this.#characters += text.length;
    return write;
  }

  #overlaid(): KeyValueReader {
    const { state } = this.#snapshot;
    const attempts = this.#attempts;
    const base = attempts === undefined ? state : new RecordingReader(state, attempts);
    return new OverlayReader(base, this.#overlay);
  }

  /** Makes all attempts again, the last one of which was refused, and goes on to note. */
  #noteAttempts(refused: string): void {
    this.#attempts = this.#newReads();
    this.#overlay = new Overlay();
    this.#batches = [];
    this.#shown = this.#overlaid();
    for (const { text, outcomes } of [...this.#kept, ...this.#writes]) {
      this.#attempt(JSON.parse(`[${text}]`) as unknown[], outcomes);
    }
    try {
      this.#attempt(JSON.parse(refused) as unknown[]);
    } catch {
      // As before.
    }
  }

  #newReads(): ReadSet {
    const reads = new ReadSet();
    reads.firstNewId = firstNewId(this.#snapshot.base.state);
    return reads;
  }

  /** `told`: what came of them before, where they are tried again. */
  #attempt(
    operations: readonly unknown[],
    told: readonly ForeseenOutcome[] = [],
  ): readonly ForeseenOutcome[] {
    const { sequence } = this.#snapshot;
    const batch = new OverlaidBatch(this.#overlay, sequence + 1);
    const nowMs = this.#now();
    const sight = { sequence, reads: NO_READS, outcomes: told };
    try {
      const { outcomes } = buildCommit(
        this.#desk.memoryOf(this.#shown, sequence),
        batch,
        { operations, sight },
        { ...CIRCUMSTANCES, nowMs },
      );
      this.#batches.push(batch);
      return outcomes.map((outcome) => ({ ...outcome, timestampMs: nowMs }));
    } catch (error) {
      batch.undo();
      throw error;
    } finally {
      batch.seal();
    }
  }

  #checkSize(operations: number, characters: number): void {
    if (this.#operations + operations > INGEST_COMMIT_OPERATIONS_MAX) {
      throw new Problem(
        'invalid_request',
        `A transaction has at most ${INGEST_COMMIT_OPERATIONS_MAX} operations`,
        { hint: 'End it in the middle of long work, with await graph.commit().' },
      );
    }
    if (this.#characters + characters <= TRANSACTION_CHARACTERS_MAX) return;
    throw new Problem(
      'invalid_request',
      `A transaction has at most ${TRANSACTION_CHARACTERS_MAX} characters of JSON`,
      { hint: 'End it in the middle of long work, with await graph.commit().' },
    );
  }
}

/** As `ReadSet.firstNewId`, of transactions on top of a state. */
export function firstNewId(state: KeyValueReader): string {
  const nextId = readCount(state.get(DB.meta, META.nextId)) || 1;
  return keyText(new KeyEncoder().node(nextId));
}

function together(first: ReadKeys, second: ReadKeys): ReadKeys {
  return {
    points: [...first.points, ...second.points],
    ranges: [...first.ranges, ...second.ranges],
  };
}
