import type { ErrorGroup } from './entry.ts';

/** Tasks and their runs. */
export const taskErrors = {
  task_not_found: {
    status: 404,
    title: 'Task not found',
    hint: 'GET /api/admin/tasks lists the tasks there are.',
  },
  task_exists: {
    status: 409,
    title: 'Task exists',
    hint: 'Choose another name, or change it with PUT /api/admin/tasks/{name}.',
  },
  too_many_tasks: {
    status: 409,
    title: 'Too many tasks',
    hint: 'Delete those that are not needed any more.',
  },
  task_running: {
    status: 409,
    title: 'Task is running',
    hint: 'Wait for the end of its run, or cancel the job that details.jobId names.',
  },
  task_skipped: {
    status: 409,
    title: 'Run skipped',
    hint: 'The message says why; run the task by hand if it is still wanted.',
  },
  task_interrupted: {
    status: 503,
    title: 'Run interrupted',
    hint: 'The server stopped while it ran: run the task again.',
  },
  invalid_schedule: {
    status: 400,
    title: 'Not a schedule',
    hint: 'Send five fields: minute, hour, day of the month, month, day of the week; and a time zone such as Europe/Berlin.',
  },
  /** The built-in task that scrubs has found it. */
  storage_damaged: {
    status: 500,
    title: 'Stored data damaged',
    hint: 'The details name each damage, and what to do about it.',
  },
} as const satisfies ErrorGroup;
