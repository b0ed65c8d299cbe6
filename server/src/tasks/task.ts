import type { BuiltInTask } from '@trellis/contract/shapes/task.ts';
import type { Caller } from '#access/caller.ts';

/** What is decided about a task (open-shapes, section 8). */
export interface TaskSettings {
  readonly cron: string;
  /** An IANA name. */
  readonly timeZone: string;
  /** Exactly one of this and the next is not null. */
  readonly endpoint: string | null;
  readonly builtIn: string | null;
  /** JSON that the endpoint is called with; null for nothing. */
  readonly body: unknown;
  /** UID of the user as whom the endpoint runs; null for the system. */
  readonly actingUser: string | null;
  readonly enabled: boolean;
  /** What becomes of a run that was due while the server was down. */
  readonly whenMissed: 'run' | 'skip';
}

export interface StoredTask extends TaskSettings {
  readonly UID: string;
  readonly name: string;
  /** What people know it by, where that is not its name. */
  readonly title?: string;
  /** ISO 8601 UTC, as is the next. */
  readonly updatedAt: string;
  /** Made of a line in the code of its endpoint. */
  readonly isInCode: boolean;
  /** Since when it runs by this schedule. */
  readonly scheduledAt: string;
  /** Version of the node, for optimistic changes. */
  readonly nodeVersion: number;
}

export type TaskTrigger = 'schedule' | 'missed' | 'manual';
export interface TaskError {
  readonly code: string;
  readonly message: string;
}

/** What the server brings along for tasks to run. */
export interface RunnableTask extends BuiltInTask {
  /** Resolves with what is shown as its result. */
  run(work: TaskWork): Promise<unknown>;
}

/** What the work of a run is given. */
export interface TaskWork {
  readonly signal: AbortSignal;
  readonly log: (text: string) => void;
  /** From 0 to 1, and what is done; null for what is not known. */
  readonly progress: (fraction: number | null, step: string | null) => void;
}

export interface EndpointTask extends TaskWork {
  readonly endpoint: string;
  readonly caller: Caller;
  /** JSON text; null for none. */
  readonly body: string | null;
}

/** An endpoint whose code says when it runs. */
export interface ScheduledEndpoint {
  readonly name: string;
  readonly crons: readonly Pick<TaskSettings, 'cron' | 'timeZone'>[];
}

/** What tasks need of endpoints. */
export interface TaskEndpoints {
  /** Undefined when there is no such endpoint. */
  access(name: string): 'users' | 'admins' | undefined;
  /** Rejects as a call of the endpoint does, and for an answer that is an error. */
  run(task: EndpointTask): Promise<unknown>;
}
