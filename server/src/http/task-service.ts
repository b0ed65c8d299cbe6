import type { Caller } from '#access/caller.ts';
import type { JobWithLog } from '@trellis/contract/shapes/job.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type {
  BuiltInTask,
  CheckedSchedule,
  NewTask,
  ScheduleCheck,
  Task,
  TaskChange,
  TaskRun,
} from '@trellis/contract/shapes/task.ts';
import type { Awaitable } from './answer.ts';

/** What the server does by itself, and when. What names a task throws `task_not_found`. */
export interface TaskService {
  list(caller: Caller, page: Page): Awaitable<List<Task>>;
  builtIns(caller: Caller): Awaitable<{ readonly items: readonly BuiltInTask[] }>;
  /** Throws `invalid_schedule`, as do the next but one and the one after it. */
  check(caller: Caller, wanted: ScheduleCheck): Awaitable<CheckedSchedule>;
  get(caller: Caller, name: string): Awaitable<Task>;
  /** Throws `task_exists`, `too_many_tasks`. This and the next: `endpoint_not_found`, `user_not_found`, `forbidden`. */
  create(caller: Caller, task: NewTask, address: string): Promise<Task>;
  put(caller: Caller, name: string, change: TaskChange, address: string): Promise<Task>;
  setEnabled(caller: Caller, name: string, enabled: boolean, address: string): Promise<Task>;
  /** This and the next throw `task_running`. */
  delete(caller: Caller, name: string, address: string): Promise<void>;
  /** The job of the run, which goes on. */
  run(caller: Caller, name: string, address: string): Promise<JobWithLog>;
  /** The newest first. */
  runs(caller: Caller, name: string, page: Page): Awaitable<List<TaskRun>>;
}
