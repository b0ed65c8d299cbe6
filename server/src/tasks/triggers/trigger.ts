import type { TriggerEvent } from '@trellis/contract/shapes/trigger.ts';
import type { TaskError } from '../task.ts';

/** What runs an endpoint: an event of the nodes of a type, in commits after a sequence. */
export interface TriggerLine {
  readonly event: TriggerEvent;
  readonly type: string;
  /** What was written up to this sequence runs nothing. */
  readonly since: number;
}

/** Events that no run has seen, because the log was not kept long enough. */
export interface MissedEvents {
  /** The first and the last sequence that the log lacked. */
  readonly from: number;
  readonly to: number;
  readonly at: string;
}

/** The triggers of one endpoint, as they are kept. */
export interface StoredTrigger {
  readonly endpoint: string;
  readonly lines: readonly TriggerLine[];
  /** Everything up to this sequence has run, or is set aside. */
  readonly position: number;
  readonly isPaused: boolean;
  /** Why the server paused it; null when somebody did. */
  readonly reason: string | null;
  readonly missed: MissedEvents | null;
}

/** An endpoint whose code says which changes run it. */
export interface TriggeredEndpoint {
  readonly name: string;
  readonly triggers: readonly Pick<TriggerLine, 'event' | 'type'>[];
}

/** A change of one node, as it is found in the log. */
export interface FoundEvent extends Pick<TriggerLine, 'event' | 'type'> {
  readonly uid: string;
  readonly key: string | null;
  /** The last sequence of the commit, and the first. */
  readonly sequence: number;
  readonly firstSequence: number;
  /** When it was committed: ISO 8601 UTC. */
  readonly at: string;
  /** The endpoints that changes ran one after the other, of which the last made this change. */
  readonly chain: readonly string[];
  /** What the endpoint is called with: JSON text. */
  readonly body: string;
}

/** An event that the server does not run any more by itself. */
export interface SetAsideEvent extends Omit<FoundEvent, 'firstSequence'> {
  readonly id: string;
  readonly endpoint: string;
  readonly setAsideAt: string;
  readonly attempts: number;
  readonly error: TaskError;
}

export interface AskedChanges {
  /** Where to go on: after this sequence, and after so many events of the commit that follows. */
  readonly after: number;
  readonly skip: number;
  readonly lines: readonly TriggerLine[];
}

export interface FoundChanges {
  readonly events: readonly FoundEvent[];
  /** Where to go on the next time. */
  readonly after: number;
  readonly skip: number;
  /** The log begins later than where to go on: `after` is where it begins. */
  readonly isLost: boolean;
}

/** The commit log as triggers read it. */
export interface ChangeFeed {
  /** The newest sequence that is applied. */
  readonly sequence: number;
  /** Resolves once there is something; rejects with the signal's reason. */
  next(asked: AskedChanges, signal: AbortSignal): Promise<FoundChanges>;
  /** The log is needed after this sequence; undefined when it is not needed. */
  needs(after: number | undefined): void;
}

export interface TriggerCall {
  readonly endpoint: string;
  readonly body: string;
  readonly chain: readonly string[];
  readonly signal: AbortSignal;
}

/** What triggers need of endpoints. */
export interface TriggerEndpoints {
  /** Answers the status; rejects as a call of the endpoint does. */
  run(call: TriggerCall): Promise<{ readonly status: number; readonly body: string | null }>;
}
