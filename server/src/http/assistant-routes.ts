import type { Route } from './route.ts';
import { sendChatMessage } from './routes/assistant/sendChatMessage.ts';
import { getChatOptions } from './routes/assistant/getChatOptions.ts';
import { createChat } from './routes/assistant/createChat.ts';
import { listChats } from './routes/assistant/listChats.ts';
import { getChat } from './routes/assistant/getChat.ts';
import { putChat } from './routes/assistant/putChat.ts';
import { deleteChat } from './routes/assistant/deleteChat.ts';
import { stopChat } from './routes/assistant/stopChat.ts';
import { putChatFeedback } from './routes/assistant/putChatFeedback.ts';
import { listTools } from './routes/assistant/listTools.ts';
import { createTool } from './routes/assistant/createTool.ts';
import { putTool } from './routes/assistant/putTool.ts';
import { deleteTool } from './routes/assistant/deleteTool.ts';
import { getToolMetrics } from './routes/assistant/getToolMetrics.ts';
import { listAgents } from './routes/assistant/listAgents.ts';
import { createAgent } from './routes/assistant/createAgent.ts';
import { getAgent } from './routes/assistant/getAgent.ts';
import { putAgent } from './routes/assistant/putAgent.ts';
import { deleteAgent } from './routes/assistant/deleteAgent.ts';
import { runAgent } from './routes/assistant/runAgent.ts';
import { listAgentRuns } from './routes/assistant/listAgentRuns.ts';
import { getAgentRun } from './routes/assistant/getAgentRun.ts';
import { cancelAgentRun } from './routes/assistant/cancelAgentRun.ts';
import { startDeepResearch } from './routes/assistant/startDeepResearch.ts';
import { getDeepResearch } from './routes/assistant/getDeepResearch.ts';
import { getResearchSettings } from './routes/assistant/getResearchSettings.ts';
import { putResearchSettings } from './routes/assistant/putResearchSettings.ts';
import { cancelDeepResearch } from './routes/assistant/cancelDeepResearch.ts';
import { callMcp } from './routes/assistant/callMcp.ts';
import { getAiProviders } from './routes/assistant/getAiProviders.ts';
import { putAiProviders } from './routes/assistant/putAiProviders.ts';
import { createAdminAgentSession } from './routes/assistant/createAdminAgentSession.ts';
import { listAdminAgentSessions } from './routes/assistant/listAdminAgentSessions.ts';
import { getAdminAgentSession } from './routes/assistant/getAdminAgentSession.ts';
import { deleteAdminAgentSession } from './routes/assistant/deleteAdminAgentSession.ts';
import { sendAdminAgentMessage } from './routes/assistant/sendAdminAgentMessage.ts';
import { uploadAdminAgentFile } from './routes/assistant/uploadAdminAgentFile.ts';
import { approveAdminAgentCommit } from './routes/assistant/approveAdminAgentCommit.ts';
import { rejectAdminAgentCommit } from './routes/assistant/rejectAdminAgentCommit.ts';
import { createChatCompletion } from './routes/llm/createChatCompletion.ts';
import { listOpenAiModels } from './routes/llm/listOpenAiModels.ts';
import { createEmbeddings } from './routes/llm/createEmbeddings.ts';
import { createMessage } from './routes/llm/createMessage.ts';
import { listAnthropicModels } from './routes/llm/listAnthropicModels.ts';
import { listLlmUsage } from './routes/llm/listLlmUsage.ts';
import { getLlmState } from './routes/llm/getLlmState.ts';

/** The routes of `assistantOperations` in the contract. */
export const assistantRoutes: readonly Route[] = [
  callMcp,
  listTools,
  createTool,
  putTool,
  deleteTool,
  getToolMetrics,
  listAgents,
  createAgent,
  getAgent,
  putAgent,
  deleteAgent,
  runAgent,
  listAgentRuns,
  getAgentRun,
  cancelAgentRun,
  sendChatMessage,
  getChatOptions,
  createChat,
  listChats,
  getChat,
  putChat,
  deleteChat,
  stopChat,
  putChatFeedback,
  startDeepResearch,
  getDeepResearch,
  getResearchSettings,
  putResearchSettings,
  cancelDeepResearch,
  getAiProviders,
  putAiProviders,
  createAdminAgentSession,
  listAdminAgentSessions,
  getAdminAgentSession,
  deleteAdminAgentSession,
  sendAdminAgentMessage,
  uploadAdminAgentFile,
  approveAdminAgentCommit,
  rejectAdminAgentCommit,
  createChatCompletion,
  listOpenAiModels,
  createEmbeddings,
  createMessage,
  listAnthropicModels,
  listLlmUsage,
  getLlmState,
];
