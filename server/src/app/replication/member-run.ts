import { Problem } from '#base/problem.ts';
import {
  REPLICA_RETRY_DELAY_MAX_MS,
  REPLICA_RETRY_DELAY_MIN_MS,
} from '#base/replication-limits.ts';
import { DatabaseFault } from '#log/postgres/log-database.ts';
import type { LogFollower } from '#log/postgres/log-follower.ts';
import type { ReplicaChannel } from '#replication/replica-channel.ts';
import {
  copy,
  type FollowedState,
  isPassing,
  onAbort,
  rememberFinal,
  type ReplicaPorts,
  joinUnlessAborted,
  whyNotResumed,
} from './replica-run.ts';

/** A primary that refuses a member, as when their clocks differ, is asked again after this. */
const REFUSED_DELAY_MS = 30_000;

type Companion = Disposable & Pick<ReplicaChannel, 'openSnapshot' | 'report'>;

export interface MemberPorts extends Omit<ReplicaPorts, 'join'> {
  readonly log: Pick<LogFollower, 'bounds' | 'follow'>;
  /** Registers with whoever is the primary, and opens the channel; waits for one. */
  join(
    history: { readonly epoch: string; readonly sequence: number } | undefined,
  ): Promise<Companion>;
  /** Once it follows no more, and before the state is closed. */
  followed(): Promise<void>;
}

/**
 * The life of a follower whose log is in PostgreSQL. It follows that, whether it reaches the
 * primary or not. The channel to the primary gives it a snapshot when it needs one, notices and
 * files, and tells the primary how far it is. Ends as `runReplica` does.
 */
export async function runMember(ports: MemberPorts, signal: AbortSignal): Promise<void> {
  const { store, events, log } = ports;
  const history = await store.history();
  const bounds = await untilItAnswers(ports, signal, () => log.bounds());
  if (bounds === undefined) return;
  const reason = whyNotResumed(history, bounds) ?? (await store.refusal());
  if (reason !== undefined) {
    events.note(`this member copies the whole graph: ${reason}`);
    using primary = await joinUnlessAborted(signal, () => ports.join(history));
    using _leaving = onAbort(signal, () => primary[Symbol.dispose]());
    await copy(primary, ports);
  }
  await using state = await ports.openState();
  events.loaded();
  const ending = new AbortController();
  const ended = AbortSignal.any([signal, ending.signal]);
  const accompanying = accompany(ports, state, ended);
  try {
    await follow(ports, { state, target: bounds.lastSequence }, signal);
  } catch (error) {
    await rememberFinal(store, error);
    throw error;
  } finally {
    ending.abort(new Error('the log is followed no longer'));
    await accompanying;
  }
  await ports.followed();
}

/** Goes on after the database was away; the member serves meanwhile. */
async function follow(
  ports: MemberPorts,
  { state, target }: { readonly state: FollowedState; readonly target: number },
  signal: AbortSignal,
): Promise<void> {
  const { log, events } = ports;
  let isCaughtUp = false;
  const reached = (): void => {
    if (isCaughtUp || state.sequence < target) return;
    isCaughtUp = true;
    events.caughtUp();
  };
  reached();
  await untilItAnswers(ports, signal, async (answered) => {
    const from = state.sequence + 1;
    events.note(`following PostgreSQL from sequence ${from}`);
    await log.follow({
      epoch: state.epoch,
      from,
      previous: await state.lastDigest(),
      signal,
      apply: async (records) => {
        await state.apply(records);
        answered();
        reached();
      },
    });
  });
}

/** Undefined when the signal is aborted. */
async function untilItAnswers<T>(
  { events, pause }: Pick<MemberPorts, 'events' | 'pause'>,
  signal: AbortSignal,
  asking: (answered: () => void) => Promise<T>,
): Promise<T | undefined> {
  let delayMs = REPLICA_RETRY_DELAY_MIN_MS;
  const answered = (): void => {
    delayMs = REPLICA_RETRY_DELAY_MIN_MS;
  };
  while (!signal.aborted) {
    try {
      return await asking(answered);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof Problem) || !(error.cause instanceof DatabaseFault)) throw error;
      events.note(`${error.message}; trying again`, 'warn');
    }
    await pause(delayMs, signal);
    delayMs = Math.min(delayMs * 2, REPLICA_RETRY_DELAY_MAX_MS);
  }
  return undefined;
}

/** Keeps a channel to the primary, for as long as the log is followed. */
async function accompany(
  ports: MemberPorts,
  state: FollowedState,
  signal: AbortSignal,
): Promise<void> {
  const { timers, pause, events } = ports;
  while (!signal.aborted) {
    try {
      const { epoch, sequence } = state;
      using primary = await joinUnlessAborted(signal, () => ports.join({ epoch, sequence }));
      await primary.report(() => state.sequence, timers, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      if (isPassing(error)) await pause(REPLICA_RETRY_DELAY_MIN_MS, signal);
      else {
        events.note(`the primary does not take this member: ${error.message}`, 'warn');
        await pause(REFUSED_DELAY_MS, signal);
      }
    }
  }
}
