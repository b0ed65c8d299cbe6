import {
  REPLICA_RETRY_DELAY_MAX_MS,
  REPLICA_RETRY_DELAY_MIN_MS,
} from '#base/replication-limits.ts';
import { Problem } from '#base/problem.ts';
import type { LogRecord } from '#log/commit-log.ts';
import type { ReplicaChannel } from '#replication/replica-channel.ts';
import type { Timers } from '#base/clock.ts';
import { unlessAborted } from '#base/unless-aborted.ts';
import type { History } from '#store/history.ts';
import type { Manifest } from '#store/manifest.ts';

/** The storage folder of a replica while nobody has the store open; see `ReplicaStore`. */
export interface ReplicaStorePort {
  history(): Promise<History | undefined>;
  piecesOf(manifest: Manifest): Promise<ReadonlySet<string>>;
  /** The bytes of a piece, in parts. */
  write(digest: string, parts: readonly Uint8Array[]): Promise<void>;
  replaceBy(manifest: Manifest): Promise<void>;
  /**
   * Why the primary would not go on with what is there, of an earlier life; gone once that is
   * replaced.
   */
  refusal(): Promise<string | undefined>;
  keepRefusal(reason: string): Promise<void>;
}

/** The log and the state of a replica, open. */
export interface FollowedState extends AsyncDisposable {
  readonly epoch: string;
  readonly sequence: number;
  /** The `recordDigest` of the record that it has applied last; undefined right after a copy. */
  lastDigest(): Promise<string | undefined>;
  /** In one write. Answers the newest sequence; see `StateFollower`. */
  apply(records: readonly LogRecord[]): Promise<number>;
}

export type JoinedPrimary = Disposable & Pick<ReplicaChannel, 'welcome' | 'openSnapshot' | 'tail'>;

export interface ReplicaPorts {
  readonly store: ReplicaStorePort;
  /** Registers and opens the channel. */
  join(history: History | undefined): Promise<JoinedPrimary>;
  openState(): Promise<FollowedState>;
  readonly timers: Timers;
  /** Resolves after the time, or when the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  readonly events: ReplicaEvents;
}

export interface ReplicaEvents {
  note(text: string, level?: 'info' | 'warn'): void;
  progress(bytesDone: number, bytesTotal: number): void;
  /** The store is there, and open for writing: other threads may read it. */
  loaded(): void;
  /** Everything that the primary had when it was joined is applied. */
  caughtUp(): void;
}

/**
 * Problems after which a replica that has a state goes on trying: the primary restarts, or the
 * network comes back.
 */
const PASSING: ReadonlySet<string> = new Set([
  'replication_unavailable',
  'replication_corrupt',
  'replica_not_registered',
]);

/** Whether it may help to connect again. */
export function isPassing(error: unknown): boolean {
  return error instanceof Problem && PASSING.has(error.code);
}

/** Problems after which the state of the replica is of no use to it. */
const FINAL: ReadonlySet<string> = new Set(['replication_epoch_differs', 'log_trimmed']);

/**
 * The life of a replica after its folder is claimed: it joins, copies what it lacks, and applies
 * the primary's log until the signal is aborted (specification, section 3.1). Rejects with what
 * ends a replica: whatever goes wrong before it tails, a primary with another history, a log that
 * no longer has what comes next, a full disk.
 */
export async function runReplica(ports: ReplicaPorts, signal: AbortSignal): Promise<void> {
  const { store, events } = ports;
  const history = await store.history();
  using first = await joinUnlessAborted(signal, () => ports.join(history));
  // A copy may take long: without the connection it ends at once.
  using _leaving = onAbort(signal, () => first[Symbol.dispose]());
  const reason = whyNotResumed(history, first.welcome) ?? (await store.refusal());
  if (reason !== undefined) {
    events.note(`this replica copies the whole graph: ${reason}`);
    await copy(first, ports);
  }
  await using state = await ports.openState();
  events.loaded();
  try {
    await tail(ports, { state, first }, signal);
  } catch (error) {
    await rememberFinal(store, error);
    throw error;
  }
}

/**
 * Epoch and sequences may agree where the histories do not: the next life must not try the same
 * again.
 */
export async function rememberFinal(
  store: Pick<ReplicaStorePort, 'keepRefusal'>,
  error: unknown,
): Promise<void> {
  if (error instanceof Problem && FINAL.has(error.code)) await store.keepRefusal(error.message);
}

/**
 * Undefined when what the replica has is a beginning of what the primary has, and the primary still
 * has the rest.
 */
export function whyNotResumed(
  history: History | undefined,
  { epoch, firstSequence, lastSequence }: Omit<JoinedPrimary['welcome'], 'version'>,
): string | undefined {
  if (history === undefined) return 'it has none yet';
  if (history.epoch !== epoch) {
    return `it follows the epoch ${history.epoch}, the primary is of ${epoch}`;
  }
  if (history.sequence > lastSequence) return 'it is ahead of the primary, which has lost its end';
  if (history.sequence < firstSequence - 1) {
    return `it ends at sequence ${history.sequence}, and the primary has its log from ${firstSequence} on`;
  }
  return undefined;
}

export async function copy(
  primary: Pick<JoinedPrimary, 'openSnapshot'>,
  { store, events }: Pick<ReplicaPorts, 'store' | 'events'>,
): Promise<void> {
  await using snapshot = await primary.openSnapshot();
  const { manifest } = snapshot;
  const here = await store.piecesOf(manifest);
  const all = new Set(
    manifest.databases.flatMap(({ pieces }) => pieces.map(({ digest }) => digest)),
  );
  const missing = [...all].filter((digest) => !here.has(digest));
  events.note(`copying ${missing.length} of ${all.size} pieces at sequence ${manifest.sequence}`);
  await snapshot.fetchPieces(
    missing,
    (digest, parts) => store.write(digest, parts),
    ({ bytesDone, bytesTotal }) => events.progress(bytesDone, bytesTotal),
  );
  events.note('all pieces are here: loading the graph');
  await store.replaceBy(manifest);
}

interface Tailing {
  readonly state: FollowedState;
  readonly first: JoinedPrimary;
}

/** Connects again when the connection breaks; the replica serves meanwhile. */
async function tail(ports: ReplicaPorts, { state, first }: Tailing, signal: AbortSignal) {
  const { events, timers } = ports;
  let target: number | undefined = first.welcome.lastSequence;
  let delayMs = REPLICA_RETRY_DELAY_MIN_MS;
  const reached = (sequence: number): void => {
    if (target === undefined || sequence < target) return;
    target = undefined;
    events.caughtUp();
  };
  reached(state.sequence);
  let primary: JoinedPrimary | undefined = first;
  // The connection that was joined last ends too, when it is told to stop or fails for good.
  using _last = { [Symbol.dispose]: () => primary?.[Symbol.dispose]() };
  while (!signal.aborted) {
    try {
      primary ??= await joinUnlessAborted(signal, () =>
        ports.join({ epoch: state.epoch, sequence: state.sequence }),
      );
      const from = state.sequence + 1;
      events.note(`following the primary from sequence ${from}`);
      await primary.tail({
        epoch: state.epoch,
        from,
        previous: await state.lastDigest(),
        timers,
        signal,
        apply: async (chunk) => {
          const sequence = await state.apply(chunk);
          reached(sequence);
          delayMs = REPLICA_RETRY_DELAY_MIN_MS;
          return sequence;
        },
      });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Problem) || !isPassing(error)) throw error;
      events.note(`${error.message}; trying again`, 'warn');
      primary?.[Symbol.dispose]();
      primary = undefined;
      await ports.pause(delayMs, signal);
      delayMs = Math.min(delayMs * 2, REPLICA_RETRY_DELAY_MAX_MS);
    }
  }
}

/**
 * A replica that is told to stop does not wait for a primary that may never answer; a connection
 * that comes too late is closed at once.
 */
export async function joinUnlessAborted<Joined extends Disposable>(
  signal: AbortSignal,
  join: () => Promise<Joined>,
): Promise<Joined> {
  signal.throwIfAborted();
  const joining = join();
  try {
    return await unlessAborted(joining, signal);
  } catch (error) {
    joining.then(
      (late) => late[Symbol.dispose](),
      () => undefined,
    );
    throw error;
  }
}

/** Throws the signal's reason when it is aborted already. */
export function onAbort(signal: AbortSignal, run: () => void): Disposable {
  signal.throwIfAborted();
  signal.addEventListener('abort', run, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', run) };
}
