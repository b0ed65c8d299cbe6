import type { ErrorGroup } from './entry.ts';

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
