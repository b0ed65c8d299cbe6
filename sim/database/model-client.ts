import type { FollowedLog, SequenceBounds } from '../../server/src/log/postgres/followed-log.ts';
import type { LogManifest } from '../../server/src/log/log-manifest.ts';
import {
  DatabaseFault,
  type LeaseTerm,
  type LogDatabase,
  type RowPlace,
  type Settled,
  type StoredContents,
  type StoredGroup,
  type StoredRow,
} from '../../server/src/log/postgres/log-database.ts';
import type { Random } from '../random.ts';
import type { Scheduler } from '../scheduler.ts';
import {
  Broken,
  Conflict,
  type ModelDatabase,
  type Tables,
  type Transaction,
} from './model-database.ts';
import type { MemberFaults } from './planted-member-faults.ts';
import type { SimulatedMember } from './simulated-member.ts';

export interface ClientWorld {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly database: ModelDatabase;
  readonly manifest: LogManifest;
  readonly faults: MemberFaults;
}

/**
 * The database as one member reaches it: questions and answers take their time, and some
 * connections break, before the question has arrived or after it was answered.
 */
export class ModelClient implements LogDatabase {
  readonly place = 'the model';
  readonly #world: ClientWorld;
  readonly #member: SimulatedMember;

  constructor(world: ClientWorld, member: SimulatedMember) {
    this.#world = world;
    this.#member = member;
  }

  async readManifest(): Promise<LogManifest> {
    return this.#world.manifest;
  }

  /** What is committed is announced, on the session that has appended it. */
  async append(group: StoredGroup, lease: LeaseTerm): Promise<boolean> {
    const { faults, scheduler, database } = this.#world;
    const holdsLock = faults.locksNoRow !== true;
    let isBegun = false;
    let generation = 0;
    const announce = (): void => {
      scheduler.after(this.#delayMs(), 'announce', () => database.announce(generation, group.last));
    };
    const appending = this.#call(
      {
        name: 'append',
        lock: 'key share',
        run: (tables) => {
          const isHeld = faults.trustsOwnClock === true || isSame(tables.lease, lease);
          if (!isHeld && (holdsLock || !isBegun)) return { answer: false };
          isBegun = true;
          ({ generation } = database);
          return { answer: true, tables: withGroup(tables, group, lease.term) };
        },
      },
      holdsLock,
    );
    try {
      const isAppended = await appending;
      if (isAppended) announce();
      return isAppended;
    } catch (error) {
      if (faults.announcesUnknown === true && isOpen(error)) announce();
      if (faults.appliesUnknown === true && isOpen(error)) return true;
      throw error;
    }
  }

  async settle(lease: LeaseTerm, groupFirst: number): Promise<Settled> {
    const { faults } = this.#world;
    const look = (tables: Tables): Settled => ({
      lease: tables.lease,
      groupTerm: tables.groups.find(({ first }) => first === groupFirst)?.term,
      firstSequence: tables.segments[0]?.first ?? 0,
    });
    if (faults.raisesNoTerm === true) {
      const found = await this.#read(look);
      return { ...found, lease: { ...found.lease, term: lease.term + 1 } };
    }
    const settling = this.#call({
      name: 'settle',
      lock: 'key update',
      run: (tables) => {
        const term = tables.lease.term + (isSame(tables.lease, lease) ? 1 : 0);
        const after = { ...tables, lease: { ...tables.lease, term } };
        return { answer: look(after), tables: after };
      },
    });
    if (faults.confirmsNothing !== true) return settling;
    try {
      return await settling;
    } catch (error) {
      const found = await this.#read(look);
      if (found.lease.term > lease.term) return found;
      throw error;
    }
  }

  readContents(): Promise<StoredContents> {
    return this.#read(({ lease, segments, groups }) => {
      const held = groups.filter(({ first }) => first >= (segments.at(-1)?.first ?? 0));
      const newest = held.at(-1);
      if (newest === undefined) return { lease, segments, end: undefined };
      const chunks = held.flatMap((group) => group.chunks);
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      const newestTime = held.reduce((time, group) => Math.max(time, group.newestTime), 0);
      return { lease, segments, end: { last: newest.last, bytes, newestTime } };
    });
  }

  groupAt(sequence: number): Promise<number | undefined> {
    return this.#read((tables) => groupAt(tables, sequence));
  }

  rowsAfter(place: RowPlace, upTo: number): Promise<readonly StoredRow[]> {
    return this.#readRows(place, upTo);
  }

  dropBefore(segmentFirst: number, lease: LeaseTerm): Promise<boolean> {
    return this.#call({
      name: 'drop',
      lock: 'key share',
      run: (tables) => {
        if (!isSame(tables.lease, lease)) return { answer: false };
        const groups = tables.groups.filter(({ first }) => first >= segmentFirst);
        const segments = tables.segments.filter(({ first }) => first >= segmentFirst);
        return { answer: true, tables: { ...tables, groups, segments } };
      },
    });
  }

  confirmLease(): Promise<LeaseTerm> {
    return this.#call({
      name: 'confirm',
      lock: 'update',
      run: (tables) => ({ answer: tables.lease, tables: { ...tables } }),
    });
  }

  takeLease(holder: string, durationMs: number): Promise<number | undefined> {
    const { database } = this.#world;
    return this.#call({
      name: 'take',
      lock: 'key update',
      run: (tables) => {
        if (tables.lease.expiresAt >= database.now()) return { answer: undefined };
        const term = tables.lease.term + 1;
        const expiresAt = database.now() + durationMs;
        return { answer: term, tables: { ...tables, lease: { term, holder, expiresAt } } };
      },
    });
  }

  renewLease(lease: LeaseTerm, durationMs: number): Promise<boolean> {
    const { database } = this.#world;
    return this.#call({
      name: 'renew',
      lock: 'update',
      run: (tables) => {
        if (!isSame(tables.lease, lease)) return { answer: false };
        const expiresAt = database.now() + durationMs;
        return { answer: true, tables: { ...tables, lease: { ...tables.lease, expiresAt } } };
      },
    });
  }

  async releaseLease(lease: LeaseTerm): Promise<void> {
    await this.#call({
      name: 'release',
      lock: 'update',
      run: (tables) => {
        if (!isSame(tables.lease, lease)) return { answer: undefined };
        return {
          answer: undefined,
          tables: { ...tables, lease: { ...tables.lease, expiresAt: 0 } },
        };
      },
    });
  }

  /** A session, as a follower has one: with the server of this moment alone. */
  openSession(own: Pick<FollowedLog, 'epoch' | 'pause'>): FollowedLog {
    const { database, faults } = this.#world;
    const { generation } = database;
    const onThisServer = <T>(answer: (tables: Tables) => T) => {
      return (tables: Tables): T => {
        if (database.generation !== generation) throw new Broken('the session has ended');
        return answer(tables);
      };
    };
    const bounds = onThisServer(boundsOf);
    return {
      ...own,
      place: this.place,
      cipher: undefined,
      rows: {
        groupAt: (sequence) => this.#read(onThisServer((tables) => groupAt(tables, sequence))),
        rowsAfter: (place, upTo) => this.#readRows(place, upTo, onThisServer),
      },
      bounds: () => this.#read(bounds),
      confirmedBounds: () => {
        if (faults.believesVisible === true) return this.#read(bounds);
        let ask = bounds;
        return this.#call({
          name: 'confirm the end',
          lock: 'no row',
          run: (tables) => {
            const answer = ask(tables);
            // Its commit may come about on the server that takes over.
            ask = boundsOf;
            return { answer, tables: { ...tables } };
          },
        });
      },
      segments: () => this.#read(onThisServer(({ segments }) => segments)),
      listen: async (hear) => {
        await this.#read(bounds);
        const listening = database.listen((sequence) => {
          this.#world.scheduler.after(this.#delayMs(), `${this.#member.name} hears`, () =>
            this.#member.deliver(() => hear(sequence)),
          );
        });
        return { [Symbol.asyncDispose]: async () => listening[Symbol.dispose]() };
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** Few at once, so that reads have many steps. */
  #readRows(
    place: RowPlace,
    upTo: number,
    onServer = <T>(answer: (tables: Tables) => T) => answer,
  ): Promise<readonly StoredRow[]> {
    const rowsMax = this.#world.random.between(1, 8);
    const rowsIn = ({ groups, segments }: Tables): readonly StoredRow[] => {
      const headers = new Map(segments.map(({ first, header }) => [first, header]));
      const rows = groups.flatMap(({ first, chunks }) =>
        chunks.map((body, chunk): StoredRow => {
          const header = chunk === 0 ? headers.get(first) : undefined;
          return { first, chunk, body: Buffer.from(body), header };
        }),
      );
      const isAfter = ({ first, chunk }: StoredRow): boolean =>
        first > place.first || (first === place.first && chunk > place.chunk);
      return rows.filter((row) => isAfter(row) && row.first <= upTo).slice(0, rowsMax);
    };
    return this.#read(onServer(rowsIn));
  }

  #read<T>(answer: (tables: Tables) => T): Promise<T> {
    return this.#call({
      name: 'read',
      lock: 'none',
      run: (tables) => ({ answer: answer(tables) }),
    });
  }

  #call<T>(transaction: Transaction<T>, holdsLock = true): Promise<T> {
    const { scheduler, random, database } = this.#world;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const { name, lock } = transaction;
    const label = `${this.#member.name} ${name}`;
    /** What comes first counts: the answer, or the end of the connection. */
    const settle = (how: () => void): void => this.#member.deliver(how);
    const fault = (outcome: 'none' | 'open', cause: unknown): void =>
      settle(() => reject(new DatabaseFault(`${name} failed`, { outcome, cause })));
    if (database.isDown || this.#member.isCutOff) {
      scheduler.after(random.between(1, 20), label, () => fault('none', 'it cannot be reached'));
      return promise;
    }
    const run = async (): Promise<void> => {
      try {
        const answer = await database.transact(transaction, holdsLock);
        scheduler.after(this.#delayMs(), label, () => settle(() => resolve(answer)));
      } catch (error) {
        const outcome = error instanceof Broken && lock !== 'none' ? 'open' : 'none';
        scheduler.after(this.#delayMs(), label, () => fault(outcome, error));
      }
    };
    scheduler.after(this.#delayMs(), label, () => void run());
    const breaks = database.isDisturbed && (this.#member.isCutOff || random.chance(0.03));
    if (breaks) {
      const outcome = lock === 'none' ? 'none' : 'open';
      scheduler.after(random.between(0, 60), `${label} breaks`, () => fault(outcome, 'it broke'));
    }
    return promise;
  }

  /** Some messages are on their way for longer than a lease lasts. */
  #delayMs(): number {
    const { random, database } = this.#world;
    const isLate = database.isDisturbed && random.chance(0.01);
    return isLate ? random.between(100, 9_000) : random.between(0, 4);
  }
}

function boundsOf({ groups, segments }: Tables): SequenceBounds {
  const firstSequence = segments[0]?.first ?? 1;
  return { firstSequence, lastSequence: groups.at(-1)?.last ?? firstSequence - 1 };
}

function groupAt({ groups }: Tables, sequence: number): number | undefined {
  return groups.findLast(({ first }) => first <= sequence)?.first;
}

/** The primary key of `record`: the first sequence. */
function withGroup(tables: Tables, group: StoredGroup, term: number): Tables {
  const { groups, segments } = tables;
  const { segment } = group;
  const isTaken =
    groups.some(({ first }) => first === group.first) ||
    segments.some(({ first }) => first === segment?.first);
  if (isTaken) throw new Conflict('duplicate key');
  return {
    ...tables,
    segments: segment === undefined ? segments : [...segments, segment],
    groups: [...groups, { ...group, term }].toSorted((a, b) => a.first - b.first),
  };
}

function isSame(lease: LeaseTerm, { term, holder }: LeaseTerm): boolean {
  return lease.term === term && lease.holder === holder;
}

function isOpen(error: unknown): boolean {
  return error instanceof DatabaseFault && error.outcome === 'open';
}
