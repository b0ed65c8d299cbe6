import { AccessIndex } from '#access/access-index.ts';
import type { Caller } from '#access/caller.ts';
import { settingVersion } from '#access/settings.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import {
  TRANSACTION_READS_KEPT_CHARACTERS,
  TRANSACTION_READS_KEPT_MAX,
} from '#base/transaction-limits.ts';
import { WATCH_POINTS_MAX, WATCH_RANGES_MAX } from '#base/watch-limits.ts';
import type { SchemaWatch } from '#graph/schema-registry.ts';
import { StateReader } from '#graph/state-reader.ts';
import { type ReadKeys, ReadSet, RecordingReader } from '#graph/transactions/read-set.ts';
import { MovingState } from '#graph/transactions/moving-state.ts';
import type { LineSnapshot } from '#graph/transactions/line-snapshot.ts';
import type { ReadSnapshot, Snapshots } from '#graph/transactions/snapshots.ts';
import {
  firstNewId,
  type TransactionDraft,
  TransactionDrafts,
} from '#graph/transactions/transaction-draft.ts';
import { TYPE_ACCESS_SETTING } from '#graph/type-access.ts';
import { markedReadOnly } from '../refused-requests.ts';
import { type CallLine, NotInLine } from './call-lines.ts';
import { foundAt, readFound } from './found-nodes.ts';
import { IdMap } from './id-map.ts';
import { answerRead, type Finders, type QueriesTold, visibilityOf } from './graph-requests.ts';
import { ReadTrace } from './read-trace.ts';

/**
 * What comes of the writes of a call. `tried`: nothing, and each shows in the later ones of the
 * same call, as in a dry run of a migration.
 */
export const CALL_WRITES = { refused: 0, refusedInTests: 1, committed: 2, tried: 3 } as const;
export type CallWrites = (typeof CALL_WRITES)[keyof typeof CALL_WRITES];

/** A call as the thread that runs its code knows it. */
export interface HostedCall {
  readonly id: number;
  readonly caller: Caller;
  readonly writes: CallWrites;
  /** The call that its transaction belongs to; it is in it, too. */
  readonly family: CallFamily;
  readonly parent: HostedCall | undefined;
  /** Its number, and those of the calls that it has run and that have ended well. */
  readonly authors: number[];
  readonly trace: ReadTrace;
  hasWritten: boolean;
}

export interface CallStart {
  readonly caller: Caller;
  readonly writes: CallWrites;
  /** The number of the call that runs this one in its own transaction; 0 for none. */
  readonly parent: number;
  /** What time it is, in milliseconds since 1970. */
  readonly nowMs: number;
  /** See `ReadTrace.isFull`. */
  readonly isTraced: boolean;
  /** What it has read is told at its end: see `watchedReads`. */
  readonly isWatched?: boolean;
  readonly line?: CallLine | undefined;
}

/** What a call has read, and at which commit. */
export interface WatchedReads extends ReadKeys {
  readonly sequence: number;
}

const OF_WATCHES = { pointsMax: WATCH_POINTS_MAX, rangesMax: WATCH_RANGES_MAX };

/** A read that was answered, to be done again when what it has read must be known. */
interface AskedRead {
  readonly caller: Caller;
  readonly operation: string;
  readonly payload: string;
  readonly finds: Finders;
}

/** JSON of a `SearchAnswer`, which shows the commit of this sequence. */
export interface FoundAnswer {
  readonly asUser: boolean;
  readonly sequence: number;
  readonly json: string;
}

/** A call from outside with all that it runs: one snapshot, and one transaction. */
class CallFamily {
  readonly mayWrite: boolean;
  readonly isWatched: boolean;
  readonly now: () => number;
  members = 0;
  /** Undefined as long as all its reads are of this turn of the event loop. */
  snapshot: ReadSnapshot | undefined;
  /** The same, of one whose writes others read that come after it. */
  line: LineSnapshot | undefined;
  draft: TransactionDraft | undefined;
  /** Those that are noted; undefined when there are none. */
  reads: ReadSet | undefined;
  asked: AskedRead[] = [];
  askedCharacters = 0;
  /** The first call has ended: nothing of the others comes to anything. */
  isOver = false;
  isCommitting = false;
  /** What was undone of it had been built upon. */
  isBroken = false;

  constructor(mayWrite: boolean, isWatched: boolean, now: () => number) {
    this.mayWrite = mayWrite;
    this.isWatched = isWatched;
    this.now = now;
  }

  release(): void {
    this.draft?.[Symbol.dispose]();
    this.draft = undefined;
    this.snapshot?.release();
    this.snapshot = undefined;
    this.reads = undefined;
    this.asked = [];
    this.askedCharacters = 0;
  }
}

/** Who sees what, at the commit of each reader. */
class AccessIndexes {
  readonly #indexes = new WeakMap<StateReader, AccessIndex>();

  of(reader: StateReader): AccessIndex {
    let index = this.#indexes.get(reader);
    if (index === undefined) {
      index = new AccessIndex(reader);
      this.#indexes.set(reader, index);
    }
    return index;
  }
}

/**
 * The transactions of calls, where their code runs. All reads of a call, and of those that it runs,
 * show one commit: that of the turn of the event loop in which it began. A call that ends in that
 * turn costs nothing more; for others the commit is held. Writes are tried on top of it
 * (`TransactionDraft`), and leave as one when the call has ended well.
 *
 * What a call has read matters only when it has written. So its reads are only kept, and done again
 * with a reader that notes each key when its transaction leaves.
 */
export class CallTransactions {
  readonly #reader: StateReader;
  readonly #snapshots: Snapshots;
  readonly #drafts = new TransactionDrafts();
  readonly #access = new AccessIndexes();
  readonly #calls = new IdMap<HostedCall>();
  /** Those that read the commit of this turn, and have no hold of it yet. */
  #ofThisTurn: CallFamily[] = [];
  readonly #recorded = new MovingState();
  #recordedReader: StateReader | undefined;
  /** What `#recordedReader` reads is noted here. */
  #recordedReads: ReadSet | undefined;

  constructor(reader: StateReader, snapshots: Snapshots) {
    this.#reader = reader;
    this.#snapshots = snapshots;
  }

  /**
   * In the turn in which the code of the call begins. Undefined when the one that runs it has
   * ended.
   */
  begin(
    id: number,
    { caller, writes, parent: parentId, nowMs, isTraced, isWatched = false, line }: CallStart,
  ): HostedCall | undefined {
    const parent = this.#calls.get(parentId);
    if (parentId !== 0 && parent === undefined) return undefined;
    const startedAt = performance.now();
    const own = (): number => Math.floor(nowMs + performance.now() - startedAt);
    const now = line === undefined ? own : (line.clock ??= own);
    const mayWrite = writes === CALL_WRITES.committed || writes === CALL_WRITES.tried;
    const family = parent?.family ?? new CallFamily(mayWrite, isWatched, now);
    family.members++;
    if (parent === undefined) this.#ofThisTurn.push(family);
    if (line !== undefined) {
      line.base ??= this.#snapshots.hold();
      line.snapshot ??= this.#drafts.beginLine(line.base);
      family.snapshot = family.line = line.snapshot;
    }
    const trace = new ReadTrace(isTraced, startedAt);
    const call = { id, caller, writes, family, parent, authors: [id], trace, hasWritten: false };
    this.#calls.set(id, call);
    return call;
  }

  /** Before another commit is shown: what goes on goes on at the same one. */
  holdTurn(): void {
    if (this.#ofThisTurn.length === 0) return;
    for (const family of this.#ofThisTurn) {
      if (family.members > 0) family.snapshot ??= this.#snapshots.hold();
    }
    this.#ofThisTurn = [];
  }

  /** JSON of what a read gives; as `answerRead`. */
  read(
    call: HostedCall,
    operation: string,
    payload: string,
    finds: Finders,
    told: QueriesTold,
  ): string {
    const { family, caller } = call;
    const { draft, snapshot } = family;
    const isQuery = operation === 'query';
    const reader =
      draft === undefined || isQuery ? (snapshot?.reader ?? this.#reader) : draft.reader;
    const visibility = () => {
      // Who sees what is written in a line, nobody knows yet.
      if (family.line?.isChanged === true) throw new NotInLine();
      return visibilityOf(this.#access.of(reader), caller);
    };
    const sources = { reader, visibility, searcher: finds };
    if (!family.mayWrite && !family.isWatched) return answerRead(sources, operation, payload, told);
    const read = { caller, operation, payload, finds };
    try {
      const answer = answerRead(sources, operation, payload, told);
      this.#keep(family, read);
      return answer;
    } catch (error) {
      // What it is told by a problem, such as that there is no such node, it has read as well.
      if (error instanceof Problem) this.#keep(family, read);
      throw error;
    }
  }

  /**
   * JSON of what was found, of which the call sees what its commit has. The nodes of it count as
   * read.
   */
  found(call: HostedCall, { asUser, sequence, json }: FoundAnswer): string {
    const { family, caller } = call;
    const reader = family.snapshot?.reader ?? this.#reader;
    const visibility = () => (asUser ? visibilityOf(this.#access.of(reader), caller) : undefined);
    const found = reader.sequence === sequence ? json : foundAt(reader, visibility(), json);
    if (family.mayWrite) {
      this.#keep(family, { caller, operation: FOUND, payload: found, finds: NOTHING_FOUND });
    }
    return found;
  }

  /** JSON of the outcomes. Throws the problem that refuses the writes. */
  write(call: HostedCall, payload: string): string {
    const { family, id } = call;
    checkMayWrite(call);
    if (family.isOver)
      throw new Problem('invalid_request', 'The call has ended: nothing is written');
    if (family.isCommitting) {
      throw new Problem('invalid_request', 'A write while graph.commit() is under way', {
        hint: 'Wait for it: await graph.commit().',
      });
    }
    family.snapshot ??= this.#snapshots.hold();
    family.draft ??= this.#drafts.begin(family.snapshot, family.now);
    return JSON.stringify(family.draft.write(payload, id));
  }

  /**
   * JSON of the transaction so far, for `graph.commit()`; it goes on with `committed`. Throws a
   * problem when there can be none.
   */
  commit(call: HostedCall): string {
    const { family, parent } = call;
    checkMayWrite(call);
    if (parent !== undefined) {
      throw new Problem('invalid_request', 'graph.commit() in an endpoint that another one runs', {
        hint: 'Its writes are part of what that one writes: commit there.',
      });
    }
    if (family.isCommitting) throw new Problem('invalid_request', 'graph.commit() is under way');
    const transaction = this.#transactionOf(family) ?? NOTHING;
    family.isCommitting = true;
    return transaction;
  }

  /** Its next transaction begins, in the turn in which it is told so. */
  committed({ family, writes }: HostedCall): void {
    family.isCommitting = false;
    if (writes === CALL_WRITES.tried) {
      // Nothing is really there: the next one begins with what this one has tried.
      family.draft?.keep();
      return;
    }
    family.release();
    this.#ofThisTurn.push(family);
  }

  /**
   * The call has ended. JSON of the transaction that is to be committed; undefined when there is
   * none, null when nothing may come of it.
   */
  end({ id, family, parent, authors }: HostedCall, isGood: boolean): string | undefined | null {
    this.#calls.delete(id);
    family.members--;
    let transaction: string | undefined | null;
    if (parent === undefined) {
      family.isOver = true;
      if (isGood) transaction = family.isBroken ? null : this.#transactionOf(family);
      if (typeof transaction === 'string') family.line?.add(family.draft?.payloads ?? []);
    } else if (isGood) {
      parent.authors.push(...authors);
    } else if (family.draft?.undo(new Set(authors)) === false) {
      family.isBroken = true;
    }
    if (family.members === 0) family.release();
    return transaction;
  }

  /**
   * What a call that is watched has read, with those that it has run: to be asked for before its
   * end. Undefined for others.
   */
  watchedReads({ family, parent }: HostedCall): WatchedReads | undefined {
    if (!family.isWatched || parent !== undefined) return undefined;
    family.snapshot ??= this.#snapshots.hold();
    this.#record(family);
    const { points, ranges } = family.reads?.toKeys() ?? { points: [], ranges: [] };
    return { sequence: family.snapshot.sequence, points: [...points, SCHEMA], ranges };
  }

  #transactionOf(family: CallFamily): string | undefined {
    if (family.draft === undefined || family.draft.isEmpty) return undefined;
    this.#record(family);
    return family.draft.toJson(family.reads?.toKeys());
  }

  #keep(family: CallFamily, read: AskedRead): void {
    family.asked.push(read);
    family.askedCharacters += read.payload.length;
    const isMuch =
      family.asked.length > TRANSACTION_READS_KEPT_MAX ||
      family.askedCharacters > TRANSACTION_READS_KEPT_CHARACTERS;
    if (!isMuch) return;
    family.snapshot ??= this.#snapshots.hold();
    this.#record(family);
  }

  /** Does the reads of a family again, to note the keys. */
  #record(family: CallFamily): void {
    const { asked } = family;
    if (asked.length === 0) return;
    const reads = (family.reads ??= new ReadSet(family.isWatched ? OF_WATCHES : undefined));
    reads.isSchemaWatched = true;
    if (family.line !== undefined) reads.firstNewId = firstNewId(family.line.base.state);
    this.#recordedReads = reads;
    const snapshot = must(family.snapshot, 'the snapshot of a transaction');
    family.asked = [];
    family.askedCharacters = 0;
    this.#recorded.move(new RecordingReader(snapshot.state, reads), snapshot.sequence);
    const reader = (this.#recordedReader ??= this.#newRecordedReader());
    reader.refresh();
    const access = this.#access.of(snapshot.base.reader);
    for (const { caller, operation, payload, finds } of asked) {
      reads.countsMatter = COUNTS.test(payload);
      const sources = {
        reader,
        searcher: finds,
        visibility: () => {
          reads.point('A');
          settingVersion(reader, TYPE_ACCESS_SETTING);
          return visibilityOf(access, caller);
        },
      };
      try {
        if (operation === FOUND) readFound(reader, payload);
        else answerRead(sources, operation, payload);
      } catch (error) {
        // As the first time: its keys are noted all the same.
        if (!(error instanceof Problem)) throw error;
      }
    }
    this.#recorded.leave();
    this.#recordedReads = undefined;
  }

  #newRecordedReader(): StateReader {
    const watch: SchemaWatch = {
      nodeType: (name) => this.#recordedReads?.schema.nodeType(name),
      edgeType: (name) => this.#recordedReads?.schema.edgeType(name),
      field: (name) => this.#recordedReads?.schema.field(name),
      everything: () => this.#recordedReads?.schema.everything(),
    };
    return new StateReader(this.#recorded, this.#recorded, undefined, watch);
  }
}

/** The point of the schema: all reads are by its names. */
const SCHEMA = 'mschema-stamp';
/** A read that was answered elsewhere; its payload is what was found. */
const FOUND = 'found';
const NOTHING_FOUND: Finders = { findByText: () => [], findSimilar: () => [] };
const NOTHING = '{"operations":[]}';
/** Ends of queries that may be told by a count that is kept, without a look at the nodes. */
const COUNTS = /"end":"(?:count|summary)"/;

function checkMayWrite({ writes }: HostedCall): void {
  if (writes === CALL_WRITES.refusedInTests) {
    throw new Problem('forbidden', 'This run only tests the code: a write could change data', {
      hint: 'Save the code, and run it, to change data.',
    });
  }
  if (writes !== CALL_WRITES.refused) return;
  throw markedReadOnly();
}
