import type { AccessRequests } from './access-request.ts';

const NOBODY = '1111111111111111111111';

/** Of what the assistant is asked, and of those who look after it: see `access-requests.ts`. */
export const ASSISTANT_ACCESS_REQUESTS: AccessRequests = {
  // There is no provider: 409 is an answer to those who may.
  sendChatMessage: () => ({ path: '/api/chatai/chat', body: { message: 'Hello' } }),
  getChatOptions: () => ({ path: '/api/chatai/options' }),
  createChat: () => ({ path: '/api/chatai/chats', body: {} }),
  listChats: () => ({ path: '/api/chatai/chats' }),
  getChat: () => ({ path: `/api/chatai/chats/${NOBODY}` }),
  putChat: () => ({ path: `/api/chatai/chats/${NOBODY}`, body: { title: 'Ours' } }),
  deleteChat: () => ({ path: `/api/chatai/chats/${NOBODY}` }),
  stopChat: () => ({ path: `/api/chatai/chats/${NOBODY}/stop` }),
  putChatFeedback: () => ({
    path: `/api/chatai/chats/${NOBODY}/messages/${NOBODY}/feedback`,
    body: { value: 'up' },
  }),
  listTools: () => ({ path: '/api/chatai/tools' }),
  createTool: (_scene, times) => ({
    path: '/api/chatai/tools',
    body: { name: `echo-${times}`, description: 'Says it again.', endpoint: 'ours/echo' },
  }),
  // There is none of this name: 404 is an answer to those who may.
  putTool: () => ({ path: '/api/chatai/tools/none', body: { enabled: false } }),
  deleteTool: () => ({ path: '/api/chatai/tools/none' }),
  getToolMetrics: () => ({ path: '/api/chatai/tools/metrics' }),
  listAgents: () => ({ path: '/api/chatai/agents' }),
  createAgent: (_scene, times) => ({
    path: '/api/chatai/agents',
    body: { name: `agent-${times}`, instructions: 'Be short.' },
  }),
  // There is none of this name, and no such run: 404 is an answer to those who may.
  getAgent: () => ({ path: '/api/chatai/agents/none' }),
  putAgent: () => ({ path: '/api/chatai/agents/none', body: { access: 'admins' } }),
  deleteAgent: () => ({ path: '/api/chatai/agents/none' }),
  runAgent: () => ({ path: '/api/chatai/agents/none/run', body: { message: 'Hello' } }),
  listAgentRuns: () => ({ path: '/api/chatai/agent-runs' }),
  getAgentRun: () => ({ path: `/api/chatai/agent-runs/${NOBODY}` }),
  cancelAgentRun: () => ({ path: `/api/chatai/agent-runs/${NOBODY}/cancel` }),
  // There is no such chat: 404 is an answer to those who may.
  startDeepResearch: () => ({
    path: '/api/chatai/deep-research/start',
    body: { chatUID: NOBODY, question: 'What is it?' },
  }),
  getDeepResearch: () => ({ path: `/api/chatai/chats/${NOBODY}/deep-research` }),
  getResearchSettings: () => ({ path: '/api/chatai/deep-research/settings' }),
  putResearchSettings: () => ({ path: '/api/chatai/deep-research/settings', body: {} }),
  cancelDeepResearch: () => ({ path: `/api/chatai/deep-research/cancel?chatUID=${NOBODY}` }),
  getLlmSearchSettings: () => ({ path: '/api/search/settings/llm' }),
  createAdminAgentSession: () => ({ path: '/api/admin-agent/sessions' }),
  listAdminAgentSessions: () => ({ path: '/api/admin-agent/sessions' }),
  // There is none: 404 is an answer to those who may.
  getAdminAgentSession: () => ({ path: '/api/admin-agent/sessions/none' }),
  deleteAdminAgentSession: () => ({ path: '/api/admin-agent/sessions/none' }),
  sendAdminAgentMessage: () => ({
    path: '/api/admin-agent/sessions/none/messages',
    body: { message: 'Hello' },
  }),
  // No form: 415 is an answer to those who may.
  uploadAdminAgentFile: () => ({ path: '/api/admin-agent/sessions/none/uploads', body: {} }),
  approveAdminAgentCommit: () => ({ path: '/api/admin-agent/sessions/none/commit/approve' }),
  rejectAdminAgentCommit: () => ({ path: '/api/admin-agent/sessions/none/commit/reject' }),
  putLlmSearchSettings: () => ({
    path: '/api/search/settings/llm',
    body: { nodeTypes: [], filters: [] },
  }),
  callMcp: () => ({
    path: '/api/mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'ping' },
  }),
  getAiProviders: () => ({ path: '/api/chatai/providers' }),
  putAiProviders: () => ({ path: '/api/chatai/providers', body: {} }),
};
