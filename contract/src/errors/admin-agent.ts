import type { ErrorGroup } from './entry.ts';

/** Conversations with the admin agent, and what they propose. */
export const adminAgentErrors = {
  session_not_found: {
    status: 404,
    title: 'Conversation not found',
    hint: 'GET /api/admin-agent/sessions lists your own.',
  },
  session_busy: {
    status: 409,
    title: 'Conversation busy',
    hint: 'Wait until the agent has answered, or the commit is done.',
  },
  no_proposal: {
    status: 409,
    title: 'Nothing proposed',
    hint: 'Ask the agent for a change first.',
  },
  proposal_not_valid: {
    status: 422,
    title: 'Proposal not valid',
    hint: 'Ask the agent to correct what details.items names.',
  },
  access_widened: {
    status: 409,
    title: 'More access than before',
    hint: 'Read details.items, and send acceptWidenedAccess: true if that is what you want.',
  },
} as const satisfies ErrorGroup;
