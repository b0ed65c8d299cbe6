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
