import { Problem } from '../../server/src/base/problem.ts';
import type { CommitLog, LogRecord } from '../../server/src/log/commit-log.ts';
import { openDatabaseLog } from '../../server/src/log/postgres/database-log.ts';
import { Lease } from '../../server/src/log/postgres/lease.ts';
import type { MemberCommit, MemberState } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { type ClientWorld, ModelClient } from './model-client.ts';
import { SimulatedMember } from './simulated-member.ts';

export interface MemberWorld extends ClientWorld {
  readonly ledger: Ledger;
  nextId(): number;
}

const SEGMENT_BYTES_MAX = 600;
const TAKE_INTERVAL_MS = 1_000;
/** Refusals of a member that is not the primary, and of a database that does not answer. */
const EXPECTED: ReadonlySet<string> = new Set(['no_primary', 'storage_failed']);

/** One life of a member: the log and the lease are those of the server. */
export class MemberNode {
  readonly process: SimulatedMember;
  readonly #world: MemberWorld;
  /** On its disk: the next life of the member goes on from it. */
  readonly #state: MemberState;
  readonly #client: ModelClient;
  #lease: Lease | undefined;
  #log: CommitLog | undefined;
  #isTaking = false;
  /** The counter after all commits that were appended and are not refused. */
  #counter = 0;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(name: string, state: MemberState, world: MemberWorld) {
    this.#world = world;
    this.#state = state;
    this.process = new SimulatedMember(name, world.scheduler);
    this.#client = new ModelClient(world, this.process);
    this.process.every(TAKE_INTERVAL_MS, () => void this.#take());
  }

  get serves(): boolean {
    return this.#log !== undefined && this.#lease?.current !== undefined;
  }

  get state(): MemberState {
    return this.#state;
  }

  commit(count: number): void {
    const log = this.#log;
    if (log === undefined || !this.process.isAlive || this.process.isStopped) return;
    const { ledger } = this.#world;
    const commit: MemberCommit = { id: this.#world.nextId(), base: this.#counter };
    this.#counter += count;
    const appended = log.append(count, Buffer.from(JSON.stringify(commit))).then(
      (last) => {
        if (!this.process.isAlive) return;
        this.#apply(commit, last - count + 1, last);
        ledger.acknowledge(this.process.name, last, commit.id);
      },
      (error: unknown) => {
        if (!this.process.isAlive) return;
        this.#counter = this.#state.counter;
        ledger.refuse(commit.id);
        this.#expect(error);
      },
    );
    this.#pending.add(appended);
    void appended.then(() => this.#pending.delete(appended));
  }

  /** As for an upgrade: another member may take the lease at once. */
  async stepDown(): Promise<void> {
    const lease = this.#lease;
    if (lease === undefined || this.#log === undefined) return;
    await this.#close();
    await lease[Symbol.asyncDispose]();
  }

  kill(): void {
    this.process.kill();
    this.#log = undefined;
  }

  async #take(): Promise<void> {
    if (this.#isTaking || this.#lease !== undefined) return;
    this.#isTaking = true;
    try {
      this.#lease = await Lease.take({
        database: this.#client,
        holder: this.process.name,
        timers: this.process,
        monotonicMs: () => this.#world.scheduler.now(),
        onLost: () => void this.#close(),
      });
      if (this.#lease === undefined) return;
      await this.#serve(this.#lease);
    } catch (error) {
      this.#expect(error);
      const lease = this.#lease;
      this.#lease = undefined;
      await lease?.[Symbol.asyncDispose]();
    } finally {
      this.#isTaking = false;
    }
  }

  async #serve(lease: Lease): Promise<void> {
    const { scheduler, ledger } = this.#world;
    const log = await openDatabaseLog({
      database: this.#client,
      lease,
      clock: scheduler,
      archive: { ttlMs: Infinity, bytesMax: Infinity },
      segmentBytesMax: SEGMENT_BYTES_MAX,
    });
    for await (const record of log.read(this.#state.sequence + 1)) this.#read(record);
    const held = lease.current;
    if (held === undefined) throw new Problem('no_primary', 'the lease ran out while it read');
    this.#log = log;
    this.#counter = this.#state.counter;
    ledger.serve(this.process.name, held.term, this.#state);
  }

  #read({ first, last, payload }: LogRecord): void {
    const commit: MemberCommit = JSON.parse(Buffer.from(payload).toString());
    this.#apply(commit, first, last);
  }

  #apply({ id, base }: MemberCommit, first: number, last: number): void {
    const state = this.#state;
    const { ledger } = this.#world;
    if (first !== state.sequence + 1) {
      ledger.report(`${this.process.name} applies ${first} after ${state.sequence}`);
    }
    if (base !== state.counter) {
      ledger.report(`sequence ${first} builds on ${base}, and the counter is ${state.counter}`);
    }
    state.sequence = last;
    state.counter += last - first + 1;
    state.ids.set(last, id);
  }

  /**
   * It is no primary any more. What it has appended is settled first: until then it does not know
   * which of it is in the log, and may not read on.
   */
  async #close(): Promise<void> {
    const log = this.#log;
    this.#log = undefined;
    // Whoever closes it has begun to, and lets the lease go.
    if (log === undefined) return;
    await Promise.all(this.#pending);
    await log[Symbol.asyncDispose]();
    this.#lease = undefined;
  }

  #expect(error: unknown): void {
    const isProblem = error instanceof Problem && EXPECTED.has(error.code);
    const isFault = error instanceof Error && error.name === 'DatabaseFault';
    if (isProblem || isFault) return;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#world.ledger.report(`${this.process.name}: ${text}`);
  }
}
