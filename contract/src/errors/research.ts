import type { ErrorGroup } from './entry.ts';

/** Deep research. */
export const researchErrors = {
  research_not_found: {
    status: 404,
    title: 'No research in this chat',
    hint: 'A report that is done is a message of the chat.',
  },
  research_running: {
    status: 409,
    title: 'Research under way in this chat',
    hint: 'Wait for its report, cancel its job, or start it in another chat.',
  },
  research_queue_full: {
    status: 429,
    title: 'Too many researches',
    hint: 'Start it again once one of those that wait or run has ended.',
    retryAfterSeconds: 60,
  },
} as const satisfies ErrorGroup;
