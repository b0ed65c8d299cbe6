import type { ErrorGroup } from './entry.ts';

/** Agents and their runs, and models that the code of endpoints asks. */
export const agentErrors = {
  agent_not_found: {
    status: 404,
    title: 'Agent not found',
    hint: 'GET /api/chatai/agents lists those that you may run.',
  },
  agent_exists: {
    status: 409,
    title: 'Agent exists',
    hint: 'Choose another name, or change it with PUT /api/chatai/agents/{name}.',
  },
  agent_run_not_found: {
    status: 404,
    title: 'Run of an agent not found',
    hint: 'GET /api/chatai/agent-runs lists your own.',
  },
  agent_too_deep: {
    status: 409,
    title: 'Agents in agents',
    hint: 'Let the tools of an agent do without agents of their own.',
  },
  agent_output_invalid: {
    status: 502,
    title: 'Answer does not fit',
    hint: "Say in the agent's instructions what is expected, or ask for less in its outputSchema.",
  },
  agent_interrupted: {
    status: 503,
    title: 'Run interrupted',
    hint: 'The server stopped while it ran: run the agent again.',
  },
  ai_needs_user: {
    status: 403,
    title: 'No user to ask a model for',
    hint: 'Call the endpoint as a user, or with a token that acts as one.',
  },
} as const satisfies ErrorGroup;
