import { assert, unreachable } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { randomUid, tryParseUid } from '#base/uid.ts';
import { DB } from '#store/databases.ts';
import type { StateWriter, WriteBatch } from '#store/key-value.ts';
import {
  addToTeam,
  ownNodes,
  removeFromTeam,
  restrictNode,
  unrestrictNode,
} from './access-operations.ts';
import { checkMayAsk, checkSees } from './access-checks.ts';
import { deleteNamed } from './delete-half.ts';
import { writeClaimed } from './document-claims.ts';
import { EVIDENCE_TYPE } from './evidence-record.ts';
import { mergeNodes } from './merge-nodes.ts';
import { MERGE_TYPE } from './merge-record.ts';
import { noteWritten, writeAccess } from './merged-halves.ts';
import { noteTriggers } from './node-changes.ts';
import { workOnIndexes } from './indexes/index-work.ts';
import { linkNodes, unlinkExcept, unlinkNodes } from './link-nodes.ts';
import {
  BEHIND,
  type CommitAuthor,
  type CommitPort,
  type CommitRequest,
  type CommitResult,
  type LineOutcome,
  type TransactionSight,
  type WriterOperation,
} from './operations.ts';
import { SYSTEM_SCHEMA } from './system-schema.ts';
import { RecentWrites } from './transactions/recent-writes.ts';
import { unlinkRecords } from './split-edges.ts';
import { splitNodes } from './split-nodes.ts';
import { Transactor, type TransactorOptions } from './transactor.ts';
import { writeNode } from './write-node.ts';
import { WriterRights } from './writer-rights.ts';
import { WriterMemory } from './writer-memory.ts';
import { Problem } from '#base/problem.ts';
import { checkOperation } from './operation-shape.ts';

/**
 * The result of a commit of a stream. Unlike `CommitResult`, it has no outcome for each operation.
 */
export interface IngestedCommit {
  readonly nodes: number;
  readonly created: number;
  readonly edges: number;
  readonly splits: number;
  readonly sequence: number;
}

export interface IngestOptions {
  /** The index of the first operation in the stream; problems report indexes in the stream. */
  readonly firstIndex: number;
  readonly author: CommitAuthor;
}

/** Where streams of operations send their commits. */
export interface IngestTarget {
  /**
   * Makes one atomic commit of operations whose shape is not checked yet. The commit is built
   * before the call returns, and the call throws when an operation is invalid, so that the stream
   * sends nothing after it.
   */
  ingest(operations: readonly unknown[], options: IngestOptions): Promise<IngestedCommit>;
  /** Resolves when there are few enough commits in flight to send more. */
  ready(): Promise<void>;
}

/** A request whose operations may be anything. */
export type UncheckedRequest = Omit<CommitRequest, 'operations'> & {
  readonly operations: readonly unknown[];
};

export interface GraphWriterOptions {
  /** Makes the UID of a node without a key. Random by default. */
  readonly newUid?: () => Uint8Array;
  /** True when index keys must not contain values: the store is encrypted, but its keys are not. */
  readonly hashesIndexes?: boolean;
}

/**
 * Turns requests into commits, in the writer's thread. A commit is built before the call returns.
 * So calls that do not wait for each other are built in their order, each on the one before, and
 * synced together.
 */
export class GraphWriter implements CommitPort, IngestTarget {
  readonly #writer: StateWriter;
  readonly #clock: Clock;
  readonly #randomUid: () => Uint8Array;
  readonly #state: WriterMemory;
  readonly #written: RecentWrites;
  #commits = 0;

  readonly #hashesIndexes: boolean;

  constructor(
    writer: StateWriter,
    clock: Clock,
    { newUid = randomUid, hashesIndexes = false }: GraphWriterOptions = {},
  ) {
    this.#writer = writer;
    this.#clock = clock;
    this.#randomUid = newUid;
    this.#hashesIndexes = hashesIndexes;
    this.#state = new WriterMemory(writer.view);
    this.#state.revalidate();
    this.#written = new RecentWrites(writer.sequence, this.#state.schema.registry);
  }

  /** The number of commits built so far. */
  get commits(): number {
    return this.#commits;
  }

  /**
   * Rejects with `invalid_operation`, `version_conflict`, `write_conflict`, `schema_conflict` or
   * `invalid_request`; then nothing is applied. With `write_conflict` it waits for the commits that
   * it is in conflict with, so that whoever begins again sees them.
   */
  async commit(request: CommitRequest): Promise<CommitResult> {
    try {
      const { result, sequence } = await this.#writer.commit((batch) =>
        this.#build(batch, request, { firstIndex: 0, outcomes: true }),
      );
      return { sequence, ...result };
    } catch (error) {
      if (error instanceof Problem && error.code === 'write_conflict') {
        await this.#writer.commit(() => undefined);
      }
      throw error;
    }
  }

  async commitLine(requests: readonly CommitRequest[]): Promise<readonly LineOutcome[]> {
    const commits: Promise<{ readonly sequence: number }>[] = [];
    let places: readonly (string | undefined)[] | undefined;
    let isRefused = false;
    for (const [i, request] of requests.entries()) {
      const commit = this.#writer.commit((batch) => {
        try {
          // Before the first is made: what each of them writes is not in the way of the others.
          places ??= this.#conflictsOf(requests, batch.nextSequence - 1);
          return this.#build(batch, request, { firstIndex: 0, outcomes: true }, places[i] ?? '');
        } catch (error) {
          isRefused = true;
          // A fault of the server's own is met again by its author alone, and by nobody else.
          throw error instanceof Problem ? error : writeConflict('an operation');
        }
      });
      commits.push(commit);
      if (isRefused) break;
    }
    // As in `commit`.
    if (isRefused) void commits.push(this.#writer.commit(() => undefined));
    const made = await Promise.allSettled(commits);
    return requests.map((_, i) =>
      outcomeOf(isRefused && i >= made.length - 1 ? undefined : made[i]),
    );
  }

  #conflictsOf(
    requests: readonly CommitRequest[],
    newest: number,
  ): readonly (string | undefined)[] {
    return requests.map(({ sight }) =>
      sight === undefined || sight.sequence === newest
        ? undefined
        : this.#written.conflict(sight.reads, sight.sequence),
    );
  }

  ingest(
    operations: readonly unknown[],
    { firstIndex, author }: IngestOptions,
  ): Promise<IngestedCommit> {
    let refusal: { readonly error: unknown } | undefined;
    const commit = this.#writer.commit((batch) => {
      try {
        return this.#build(batch, { ...author, operations }, { firstIndex, outcomes: false });
      } catch (error) {
        refusal = { error };
        throw error;
      }
    });
    const answer = commit.then(({ result: { nodes, created, edges, splits }, sequence }) => ({
      nodes,
      created,
      edges,
      splits,
      sequence,
    }));
    if (refusal === undefined) return answer;
    answer.catch(() => undefined);
    throw refusal.error;
  }

  ready(): Promise<void> {
    return this.#writer.ready();
  }

  /** Gives back the memory that a load has filled; commits go on without it. */
  releaseMemory(): void {
    this.#state.release();
    this.#written.release();
  }

  /**
   * Adds the built-in types of this version of the server that the workspace lacks. Called at every
   * start.
   */
  addSystemSchema(): Promise<CommitResult> {
    return this.commit({ operations: [], schema: SYSTEM_SCHEMA, system: true });
  }

  #build(
    batch: WriteBatch,
    request: UncheckedRequest,
    options: BuildOptions,
    known?: string,
  ): Omit<CommitResult, 'sequence'> {
    const circumstances = {
      ...options,
      nowMs: this.#clock.now(),
      randomUid: this.#randomUid,
      hashesIndexes: this.#hashesIndexes,
    };
    const result = this.#buildSeen(batch, request, circumstances, known);
    this.#commits++;
    this.#written.add(batch.payload, batch.nextSequence - 1);
    return result;
  }

  /**
   * Throws `write_conflict` unless all is as the author of a transaction has seen it. `known`: the
   * place that was changed, where that is looked up already; empty when there is none.
   */
  #buildSeen(
    batch: WriteBatch,
    request: UncheckedRequest,
    circumstances: CommitCircumstances,
    known: string | undefined,
  ): Omit<CommitResult, 'sequence'> {
    const { sight } = request;
    // Without a commit in between nothing can be different.
    if (sight === undefined || (known === undefined && sight.sequence === batch.nextSequence - 1)) {
      return buildCommit(this.#state, batch, request, circumstances);
    }
    const place = known ?? this.#written.conflict(sight.reads, sight.sequence) ?? '';
    if (place !== '') throw writeConflict(place);
    try {
      const result = buildCommit(this.#state, batch, request, circumstances);
      requireForeseen(sight, result);
      return result;
    } catch (error) {
      // It was possible on what its author has seen: what has changed since is in its way.
      if (error instanceof Problem && IN_THE_WAY.has(error.code)) {
        throw writeConflict('an operation', error);
      }
      throw error;
    }
  }
}

const IN_THE_WAY: ReadonlySet<string> = new Set([
  'invalid_operation',
  'not_unique',
  'version_conflict',
]);

type ExpectedVersion = NonNullable<CommitRequest['expected']>[number];

interface BuildOptions {
  readonly firstIndex: number;
  readonly outcomes: boolean;
}

interface CommitCircumstances
  extends BuildOptions, Pick<TransactorOptions, 'nowMs' | 'randomUid' | 'hashesIndexes'> {
  /** As with `accessControl` of the request, where nothing has to record it. */
  readonly accessControl?: boolean;
}

function writeConflict(place: string, cause?: Problem): Problem {
  return new Problem('write_conflict', 'What the call has read was changed meanwhile', {
    details: { place },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** `made` is undefined when one before it was refused. */
function outcomeOf(
  made: PromiseSettledResult<{ readonly sequence: number }> | undefined,
): LineOutcome {
  if (made === undefined) return { problem: writeConflict(BEHIND).toMessage() };
  if (made.status === 'fulfilled') return { sequence: made.value.sequence };
  const reason: unknown = made.reason;
  if (reason instanceof Problem) return { problem: reason.toMessage() };
  throw reason;
}

/** What the author of a transaction was told must be what has happened. */
function requireForeseen(
  { outcomes }: TransactionSight,
  made: Pick<CommitResult, 'outcomes'>,
): void {
  for (const [i, { uid, changed }] of made.outcomes.entries()) {
    const told = outcomes[i];
    if (told?.uid !== uid || told.changed !== changed) throw writeConflict(`outcome ${uid}`);
  }
}

/** Builds one commit on what `state` shows; throws, after which the batch is to be dropped. */
export function buildCommit(
  state: WriterMemory,
  batch: WriteBatch,
  request: UncheckedRequest,
  { firstIndex, accessControl: mayControl, ...circumstances }: CommitCircumstances,
): Omit<CommitResult, 'sequence'> {
  state.revalidate();
  const first = batch.nextSequence;
  const user = request.user === undefined ? undefined : tryParseUid(request.user);
  const rights = request.ownRights === undefined ? undefined : new WriterRights(state, user);
  const transactor = new Transactor(state, batch, {
    system: request.system === true,
    accessControl: request.accessControl !== undefined || mayControl === true,
    namesRecords: request.namesRecords !== undefined,
    ofRecords: request.ofRecords === true,
    rights,
    user,
    ...circumstances,
  });
  if (request.edits !== undefined) transactor.editSchema(request.edits);
  // By the names that the edits have given.
  if (request.schema !== undefined) transactor.mergeSchema(request.schema);
  const { operations, expected = [] } = request;
  for (const one of expected) requireVersion(transactor, one);
  for (let i = 0; i < operations.length; i++) {
    const operation = operations[i];
    checkOperation(operation, firstIndex + i);
    transactor.foreseen = request.sight?.outcomes[i];
    apply(transactor, operation, firstIndex + i);
  }
  transactor.foreseen = undefined;
  const { accessControl, ownRights, namesRecords } = request;
  if (ownRights !== undefined && rights !== undefined) {
    transactor.trace(() => {
      ownNodes(transactor, rights.user);
      apply(transactor, ownRights.trace, transactor.index + 1);
    });
  } else if (accessControl !== undefined && transactor.usesAccessControl) {
    transactor.trace(() => apply(transactor, accessControl.trace, transactor.index + 1));
  }
  if (namesRecords !== undefined && transactor.splits > 0) {
    transactor.trace(() => apply(transactor, namesRecords.trace, transactor.index + 1));
  }
  joinAndPart(transactor, request);
  for (const { key, value } of request.vault ?? []) putVault(batch, key, value);
  const { indexWork } = request;
  const indexes = indexWork && { indexes: workOnIndexes(transactor, indexWork) };
  const built = { ...transactor.finish(), ...indexes };
  const { triggers } = request;
  if (triggers !== undefined && batch.nextSequence > first) noteTriggers(batch, triggers);
  return built;
}

function joinAndPart(t: Transactor, { merges = [], split }: UncheckedRequest): void {
  if (merges.length === 0 && split === undefined) return;
  assert(t.options.system, 'only the server itself merges and splits nodes');
  // An outcome is of an operation.
  t.options = { ...t.options, outcomes: false };
  for (const merge of merges) mergeNodes(t, merge);
  if (split !== undefined) splitNodes(t, split);
}

function requireVersion(t: Transactor, { uid, version: expected }: ExpectedVersion): void {
  // Of none of the operations.
  t.index = -1;
  const id = t.idOfUid(uid, 'uid');
  if (id === 0) return t.checkVersion(expected, 0, uid);
  checkSees(t, id);
  t.checkVersionOf(expected, id);
}

/** `index` is the operation's index in the request. */
function apply(t: Transactor, operation: WriterOperation, index: number): void {
  t.index = index;
  checkMayAsk(t, operation.op);
  const had = (t.had ??= { evidence: t.hadAny(EVIDENCE_TYPE), merges: t.hadAny(MERGE_TYPE) });
  if (t.options.system || !had.evidence) carryOut(t, operation);
  else writeClaimed(t, operation, () => carryOut(t, operation));
  if (had.merges) noteWritten(t, operation);
}

function carryOut(t: Transactor, operation: WriterOperation): void {
  switch (operation.op) {
    case 'addOrUpdate':
    case 'tryAdd':
    case 'update':
      return writeNode(t, operation);
    case 'delete':
      return deleteNamed(t, operation);
    case 'link':
      return writeAccess(t, operation, () => linkNodes(t, operation));
    case 'unlink':
      if (t.options.ofRecords) return unlinkRecords(t, operation);
      return writeAccess(t, operation, () => unlinkNodes(t, operation));
    case 'unlinkExcept':
      return writeAccess(t, operation, () => unlinkExcept(t, operation));
    case 'restrict':
      return writeAccess(t, operation, () => restrictNode(t, operation));
    case 'unrestrict':
      return writeAccess(t, operation, () => unrestrictNode(t, operation));
    case 'addToTeam':
      return addToTeam(t, operation);
    case 'removeFromTeam':
      return removeFromTeam(t, operation);
    default:
      return unreachable(operation);
  }
}

function putVault(batch: WriteBatch, key: string, value: string | null): void {
  const keyBytes = Buffer.from(key);
  if (value === null) batch.delete(DB.vault, keyBytes);
  else batch.put(DB.vault, keyBytes, Buffer.from(value, 'base64'));
}
