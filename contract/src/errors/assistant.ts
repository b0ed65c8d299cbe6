import type { ErrorGroup } from './entry.ts';

/** Conversations with the assistant. */
export const chatErrors = {
  chat_not_found: {
    status: 404,
    title: 'Conversation not found',
    hint: 'GET /api/chatai/chats lists your own.',
  },
  chat_message_not_found: {
    status: 404,
    title: 'Message not found',
    hint: 'GET /api/chatai/chats/{uid} lists those of the conversation.',
  },
  chat_feedback_not_found: {
    status: 404,
    title: 'Feedback not found',
    hint: 'Its user may have taken it back. GET /api/chatai/feedback lists what there is.',
  },
  chat_busy: {
    status: 409,
    title: 'An answer is under way',
    hint: 'Wait for it, or stop it with POST /api/chatai/chats/{uid}/stop.',
  },
  chat_limit_reached: {
    status: 409,
    title: 'Too many conversations or messages',
    hint: 'Begin a new conversation; delete those that are not needed any more.',
  },
} as const satisfies ErrorGroup;

/** Golden answers. */
export const goldenErrors = {
  golden_answers_not_found: {
    status: 404,
    title: 'Golden answers not found',
    hint: 'List the sets there are: GET /api/chatai/golden-sets.',
  },
  golden_run_not_found: {
    status: 404,
    title: 'Run not found',
    hint: 'List the runs that are kept: GET /api/chatai/golden-sets/{name}/runs.',
  },
  golden_run_running: {
    status: 409,
    title: 'Run under way',
    hint: 'Wait for its job to end, or cancel it.',
  },
  golden_run_not_resumable: {
    status: 409,
    title: 'Run cannot go on',
    hint: 'Start a new one.',
  },
} as const satisfies ErrorGroup;

/** Nodes and edges that are read out of documents. */
export const documentErrors = {
  extraction_not_found: {
    status: 404,
    title: 'Extraction not found',
    hint: 'List those there are: GET /api/documents/extractions.',
  },
  extraction_running: {
    status: 409,
    title: 'Extraction under way',
    hint: 'Wait until its job, details.job, has ended, or cancel it.',
  },
  extraction_not_resumable: {
    status: 409,
    title: 'Extraction cannot go on',
    hint: 'Start a new one.',
  },
  extraction_limit_reached: {
    status: 409,
    title: 'Too many extractions',
    hint: 'Delete one whose proposals are decided; what was approved stays.',
  },
  proposal_not_found: {
    status: 404,
    title: 'Proposal not found',
    hint: 'List those there are: GET /api/documents/extractions/{id}/proposals.',
  },
  proposal_not_open: {
    status: 409,
    title: 'Proposal is decided',
    hint: 'Change the node itself.',
  },
} as const satisfies ErrorGroup;

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

/** The provider of chat, and the router of requests to it. */
export const llmErrors = {
  llm_not_configured: {
    status: 409,
    title: 'No provider of chat',
    hint: 'An administrator names one with PUT /api/chatai/providers.',
  },
  model_not_found: {
    status: 404,
    title: 'Model not found',
    hint: 'GET models, at the same base address, lists those that an administrator allows.',
  },
  llm_quota_exceeded: {
    status: 429,
    title: 'Tokens of the day used up',
    hint: 'Ask again tomorrow, in UTC; an administrator can raise tokensPerUserAndDay.',
  },
  llm_request_refused: {
    status: 400,
    title: 'Request not taken by the provider',
    hint: 'Change the request as the message says.',
  },
  llm_busy: {
    status: 429,
    title: 'Provider busy',
    hint: 'Ask again after the seconds in the Retry-After header.',
    retryAfterSeconds: 5,
  },
  llm_unavailable: {
    status: 503,
    title: 'Provider not available',
    hint: 'Ask again after the seconds in the Retry-After header.',
    retryAfterSeconds: 5,
  },
  llm_timeout: {
    status: 504,
    title: 'Model took too long',
    hint: 'Ask for less, or allow more time.',
  },
  tool_timeout: {
    status: 504,
    title: 'Tool took too long',
    hint: 'Call it for less at a time.',
  },
  llm_misconfigured: {
    status: 502,
    title: 'Provider not set up as it should be',
    hint: 'An administrator looks at address, key and model: GET /api/llm/state says what was wrong.',
  },
} as const satisfies ErrorGroup;
