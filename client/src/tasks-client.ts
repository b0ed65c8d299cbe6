import type { JobWithLog } from '@trellis/contract/shapes/job.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import type {
  BuiltInTask,
  CheckedSchedule,
  NewTask,
  ScheduleCheck,
  Task,
  TaskChange,
  TaskRun,
} from '@trellis/contract/shapes/task.ts';
import { BuildClient } from './build-client.ts';
import type { PageRequest } from './pages.ts';
import type { CallOptions } from './transport.ts';

/** What the server does by itself, and when; for administrators, and tokens with the scope `admin:tasks`. */
export class TasksClient extends BuildClient {
  /** By name. */
  listTasks(page: PageRequest = {}, options?: CallOptions): Promise<List<Task>> {
    return this.get('/api/admin/tasks', options, { ...page });
  }

  /** What the server brings along for tasks to run. */
  listBuiltInTasks(options?: CallOptions): Promise<{ readonly items: readonly BuiltInTask[] }> {
    return this.get('/api/admin/built-in-tasks', options);
  }

  createTask(task: NewTask, options?: CallOptions): Promise<Task> {
    return this.post('/api/admin/tasks', task, options);
  }

  /** What a cron expression means, without a task; throws `invalid_schedule`, which says where it is wrong. */
  checkTaskSchedule(schedule: ScheduleCheck, options?: CallOptions): Promise<CheckedSchedule> {
    return this.post('/api/admin/tasks/check', schedule, options);
  }

  getTask(name: string, options?: CallOptions): Promise<Task> {
    return this.get(taskPath(name), options);
  }

  /** What is left out stays as it is. */
  putTask(name: string, change: TaskChange, options?: CallOptions): Promise<Task> {
    return this.put(taskPath(name), change, options);
  }

  /** With the log of its runs. */
  deleteTask(name: string, options?: CallOptions): Promise<void> {
    return this.tell('DELETE', taskPath(name), undefined, options);
  }

  /** The job of the run, which goes on: `watchJob` follows it. */
  runTask(name: string, options?: CallOptions): Promise<JobWithLog> {
    return this.post(`${taskPath(name)}/run`, undefined, options);
  }

  enableTask(name: string, options?: CallOptions): Promise<Task> {
    return this.post(`${taskPath(name)}/enable`, undefined, options);
  }

  disableTask(name: string, options?: CallOptions): Promise<Task> {
    return this.post(`${taskPath(name)}/disable`, undefined, options);
  }

  /** The newest first. */
  listTaskRuns(
    name: string,
    page: PageRequest = {},
    options?: CallOptions,
  ): Promise<List<TaskRun>> {
    return this.get(`${taskPath(name)}/log`, options, { ...page });
  }
}

function taskPath(name: string): string {
  return `/api/admin/tasks/${encodeURIComponent(name)}`;
}
