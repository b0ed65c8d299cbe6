import { must } from '#base/assert.ts';
import { systemClock, systemTimers } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { CommitLog } from '#log/commit-log.ts';
import type { Followers } from '#log/followers.ts';
import { openMirroredLog } from '#log/mirrored-log.ts';
import { beginDatabaseLog, openDatabaseLog } from '#log/postgres/database-log.ts';
import { databaseProblem, noPrimary } from '#log/postgres/database-problem.ts';
import { Lease, type LeaseRenewal } from '#log/postgres/lease.ts';
import { DatabaseFault, type LeaseTerm } from '#log/postgres/log-database.ts';
import { parsePostgresAddress, type PostgresAddress } from '#log/postgres/postgres-address.ts';
import { MemberRegistry } from '#log/postgres/member-registry.ts';
import { PostgresDatabase } from '#log/postgres/postgres-database.ts';
import { sharedLogKey } from '#store/master-key.ts';
import { historyIn } from '../member/member-folder.ts';
import { keepTrimmingShared } from './shared-log-retention.ts';
import { archiveRule, openStoreLog, type StoreLogOptions } from './store-log.ts';

/** Where the log of a workspace is that has several members. */
export interface SharedLogPlace {
  /** `MSK_LOG`, which was checked; it may hold a password. */
  readonly url: string;
  /** `MSK_WORKSPACE`. */
  readonly workspace: string;
}

/** The lease that the main thread has taken for the thread that appends. */
export interface SharedLogLease extends SharedLogPlace {
  readonly lease: LeaseTerm;
}

export interface LeaseEvents {
  /** The lease is renewed here from now on. */
  onAdopted(): void;
  /** Another member has it, or may: nothing is appended here any more. */
  onLost(): void;
  onRenewal(renewal: LeaseRenewal): void;
}

export interface SharedLogEvents extends LeaseEvents {
  /** What an operator should know. */
  onNote(text: string): void;
}

export interface SharedLog extends AsyncDisposable {
  readonly log: CommitLog;
  /** Throws `no_primary` when the lease is not known to be held, or commits wait for the folder. */
  requireLeading(): void;
  /** Another member may lead from now on. When PostgreSQL cannot be told, the lease expires. */
  release(): Promise<void>;
}

export function addressOf({ url }: SharedLogPlace): PostgresAddress {
  const address = parsePostgresAddress(url);
  return must(typeof address === 'string' ? undefined : address, 'an address that was checked');
}

/** Opens the database, and makes its tables when there are none. */
export async function openSharedDatabase(
  place: SharedLogPlace,
  masterKey: string | null,
): Promise<PostgresDatabase> {
  const { workspace } = place;
  const begin = () => beginDatabaseLog(secretOf(masterKey));
  try {
    return await PostgresDatabase.open({ address: addressOf(place), workspace, begin });
  } catch (error) {
    throw databaseProblem('opening the commit log in PostgreSQL', error);
  }
}

/** Every member derives the same key. */
export function secretOf(masterKey: string | null): { readonly encryptionKey?: Uint8Array } {
  return masterKey === null ? {} : { encryptionKey: sharedLogKey(masterKey) };
}

type SharedLogOptions = StoreLogOptions & {
  readonly shared: SharedLogLease;
  readonly followers: Followers;
};

/**
 * The log of the member that is the primary: what it appends is in PostgreSQL first, and then in
 * the folder. Reads what others have appended since this folder was the newest. Disposing of it
 * lets the lease go. Rejects with `no_primary` when the lease is lost meanwhile, or PostgreSQL does
 * not answer: this member then follows another one.
 */
export async function openSharedLog(
  { shared, followers, ...folder }: SharedLogOptions,
  events: SharedLogEvents,
): Promise<SharedLog> {
  return openLeading({ ...folder, shared, followers }, events, async ({ epoch }) => {
    const after = (await historyIn(folder))?.sequence ?? 0;
    const log = await openStoreLog({ ...folder, beginning: { epoch, after } });
    return { log, isKept: false };
  });
}

/** The same where a follower has the log of the folder open already, and closes it afterwards. */
export function takeSharedLog(
  options: LeadingOptions,
  copy: CommitLog,
  events: SharedLogEvents,
): Promise<SharedLog> {
  return openLeading(options, events, async () => ({ log: copy, isKept: true }));
}

type LeadingOptions = Pick<SharedLogOptions, 'shared' | 'followers' | 'masterKey' | 'lowMemory'>;

type OpenCopy = (
  authority: Pick<CommitLog, 'epoch'>,
) => Promise<{ readonly log: CommitLog; readonly isKept: boolean }>;

async function openLeading(
  options: LeadingOptions,
  events: SharedLogEvents,
  openCopy: OpenCopy,
): Promise<SharedLog> {
  try {
    return await openAuthority(options, events, openCopy);
  } catch (error) {
    const isAway = error instanceof Problem && error.cause instanceof DatabaseFault;
    if (!isAway || error.code !== 'storage_failed') throw error;
    throw new Problem('no_primary', error.message, { cause: error });
  }
}

async function openAuthority(
  { shared, masterKey, lowMemory, followers }: LeadingOptions,
  events: SharedLogEvents,
  openCopy: OpenCopy,
): Promise<SharedLog> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await openSharedDatabase(shared, masterKey));
  const lease = opened.use(await adoptLease(database, shared, events));
  events.onAdopted();
  const closing = new AbortController();
  const authority = await openDatabaseLog({
    database,
    lease,
    clock: systemClock,
    archive: archiveRule(lowMemory),
    closing: closing.signal,
    ...secretOf(masterKey),
  });
  const { log: copy, isKept: keepsCopy } = await openCopy(authority);
  let isCopyFailing = false;
  const log = opened.use(
    await openMirroredLog({
      authority,
      copy,
      keepsCopy,
      clock: systemClock,
      onCopyFailing: (problem) => {
        if (!isCopyFailing) events.onNote(`the folder does not take what is committed: ${problem}`);
        isCopyFailing = true;
      },
    }),
  );
  log.onDurable(() => {
    isCopyFailing = false;
  });
  const registry = opened.use(new MemberRegistry(addressOf(shared), shared.workspace));
  opened.use(keepTrimmingShared({ authority, registry, followers }, events.onNote));
  const resources = opened.move();
  return {
    log,
    requireLeading: () => {
      if (isCopyFailing || lease.current === undefined) throw noPrimary(database.place);
    },
    release: () => lease[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => {
      closing.abort();
      return resources.disposeAsync();
    },
  };
}

async function adoptLease(
  database: PostgresDatabase,
  { lease: { term, holder } }: SharedLogLease,
  { onLost, onRenewal }: SharedLogEvents,
): Promise<Lease> {
  const monotonicMs = (): number => performance.now();
  const options = { database, holder, timers: systemTimers, monotonicMs, onLost, onRenewal };
  const lease = await Lease.adopt(options, term).catch((error: unknown) => {
    throw databaseProblem('taking the lease over', error);
  });
  if (lease === undefined) throw noPrimary(database.place);
  return lease;
}
