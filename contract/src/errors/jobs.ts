import type { ErrorGroup } from './entry.ts';

/** Jobs. */
export const jobErrors = {
  job_not_found: {
    status: 404,
    title: 'Job not found',
    hint: 'Only the last ones are kept: GET /api/jobs lists them.',
  },
  job_not_cancellable: {
    status: 409,
    title: 'Job cannot be cancelled',
    hint: 'Wait for its end: GET /api/jobs/{id}/events tells of it.',
  },
  job_ended: {
    status: 409,
    title: 'Job has ended',
    hint: 'GET /api/jobs/{id} tells how it ended.',
  },
  job_cancelled: {
    status: 409,
    title: 'Job was cancelled',
    hint: 'Start the work again if it is still wanted.',
  },
} as const satisfies ErrorGroup;

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
  task_in_code: {
    status: 409,
    title: 'Task belongs to code',
    hint: 'Change the line "// trellis: cron" in the code of its endpoint; to pause the task, disable it.',
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
  trigger_not_found: {
    status: 404,
    title: 'Trigger not found',
    hint: 'GET /api/admin/triggers lists the endpoints that changes run.',
  },
  trigger_event_not_found: {
    status: 404,
    title: 'Event not found',
    hint: 'GET /api/admin/triggers/set-aside lists the events that are set aside.',
  },
  trigger_loop: {
    status: 409,
    title: 'Triggers run one another',
    hint: 'The message has the endpoints in order: let one of them not write what runs the next.',
  },
  webhook_not_found: {
    status: 404,
    title: 'Webhook not found',
    hint: 'GET /api/webhooks lists the webhooks there are.',
  },
  webhook_address_not_allowed: {
    status: 422,
    title: 'Address not allowed',
    hint: 'An administrator can add the origin to the setting fetchAllowList of the workspace.',
  },
  webhook_limit_reached: {
    status: 409,
    title: 'Too many webhooks',
    hint: 'Delete those that are not needed any more.',
  },
  webhook_log_gone: {
    status: 410,
    title: 'Log does not reach back as far',
    hint: 'Replay from details.firstSequence on, which the log still has.',
  },
  connector_not_found: {
    status: 404,
    title: 'Connector not found',
    hint: 'GET /api/connectors lists the connectors there are.',
  },
  connector_address_not_allowed: {
    status: 422,
    title: 'Address not allowed',
    hint: 'An administrator can add it to the setting fetchAllowList of the workspace; folders of the server are named in MSK_CONNECTOR_ROOTS.',
  },
  connector_limit_reached: {
    status: 409,
    title: 'Too many connectors',
    hint: 'Delete those that are not needed any more.',
  },
  connectors_busy: {
    status: 429,
    title: 'Too many connectors at once',
    hint: 'Try again when one of those that run has ended.',
  },
  connector_failed: {
    status: 502,
    title: 'Source could not be brought',
    hint: 'The message says what was wrong at the source; the next run goes on from what is committed.',
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

/** Migrations and their runs. */
export const migrationErrors = {
  migration_not_found: {
    status: 404,
    title: 'Migration not found',
    hint: 'GET /api/migrations lists the migrations there are.',
  },
  migration_exists: {
    status: 409,
    title: 'Migration exists',
    hint: 'Choose another name, or change it with PUT /api/migrations/{name}.',
  },
  too_many_migrations: {
    status: 409,
    title: 'Too many migrations',
    hint: 'Delete those that have run everywhere.',
  },
  migration_running: {
    status: 409,
    title: 'A migration is running',
    hint: 'Wait for its end, which the job in details.jobId tells of, or POST /api/migrations/cancel.',
  },
  migration_not_running: {
    status: 409,
    title: 'No migration is running',
    hint: 'GET /api/migrations tells how they ended.',
  },
  migration_succeeded: {
    status: 409,
    title: 'Migration has run',
    hint: 'To run it again, reset its status first: POST /api/migrations/reset-task-status with its name.',
  },
  migration_not_compiled: {
    status: 422,
    title: 'Migration does not compile',
    hint: 'Correct what details.diagnostics lists.',
  },
  migration_not_cancelled: {
    status: 409,
    title: 'Migration does not stop',
    hint: 'Its code does not look at `signal`; it is ended by force at details.endedByForceAt.',
  },
  migration_interrupted: {
    status: 503,
    title: 'Migration interrupted',
    hint: 'The server stopped while it ran: run it again.',
  },
  migration_failed: {
    status: 500,
    title: 'Migration failed',
    hint: 'Its status tells why; correct the code and run it again.',
  },
} as const satisfies ErrorGroup;
