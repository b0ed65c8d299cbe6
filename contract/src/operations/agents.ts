import type { Operation } from '../operation.ts';
import {
  agentChange,
  agentDefinition,
  agentInPath,
  agentRun,
  agentRunInPath,
  agentRunRequest,
  agentRunsQuery,
  agentRunWithTranscript,
  agentSummary,
  newAgent,
} from '../shapes/agent.ts';
import { listOf, pageQuery } from '../shapes/list.ts';
import { LONG_BODY_BYTES_MAX } from '../request-limits.ts';

export const listAgents = {
  id: 'listAgents',
  sdk: 'agents.list',
  area: 'assistant',
  method: 'GET',
  path: '/api/chatai/agents',
  auth: 'session',
  noGuests: true,
  query: pageQuery,
  responses: { 200: { description: 'Agents, by name.', body: listOf(agentSummary) } },
  errors: [],
  onReplica: 'redirect',
  summary: 'List the agents that the caller may run.',
} as const satisfies Operation;

export const createAgent = {
  id: 'createAgent',
  sdk: 'agents.create',
  area: 'assistant',
  method: 'POST',
  path: '/api/chatai/agents',
  auth: 'admin-write',
  body: newAgent,
  responses: { 201: { description: 'The agent.', body: agentDefinition } },
  errors: ['agent_exists', 'version_conflict', 'storage_failed', 'storage_full'],
  onReplica: 'redirect',
  summary: 'Make an agent: instructions for a model, with the tools that it may call.',
} as const satisfies Operation;

export const getAgent = {
  id: 'getAgent',
  sdk: 'agents.get',
  area: 'assistant',
  method: 'GET',
  path: '/api/chatai/agents/{name}',
  auth: 'admin',
  params: agentInPath,
  responses: { 200: { description: 'The agent.', body: agentDefinition } },
  errors: ['agent_not_found'],
  onReplica: 'redirect',
  summary: 'Read an agent with its instructions.',
} as const satisfies Operation;

export const putAgent = {
  id: 'putAgent',
  sdk: 'agents.put',
  area: 'assistant',
  method: 'PUT',
  path: '/api/chatai/agents/{name}',
  auth: 'admin-write',
  params: agentInPath,
  body: agentChange,
  responses: { 200: { description: 'The agent after the change.', body: agentDefinition } },
  errors: ['agent_not_found', 'version_conflict', 'storage_failed', 'storage_full'],
  onReplica: 'redirect',
  summary: 'Change an agent; what is left out stays as it is.',
} as const satisfies Operation;

export const deleteAgent = {
  id: 'deleteAgent',
  sdk: 'agents.delete',
  area: 'assistant',
  method: 'DELETE',
  path: '/api/chatai/agents/{name}',
  auth: 'admin-write',
  params: agentInPath,
  responses: { 204: { description: 'It is gone; its runs stay.' } },
  errors: ['agent_not_found', 'version_conflict', 'storage_failed', 'storage_full'],
  onReplica: 'redirect',
  summary: 'Delete an agent.',
} as const satisfies Operation;

export const runAgent = {
  id: 'runAgent',
  sdk: 'agents.run',
  area: 'assistant',
  method: 'POST',
  path: '/api/chatai/agents/{name}/run',
  auth: 'session',
  noGuests: true,
  params: agentInPath,
  bodyBytesMax: LONG_BODY_BYTES_MAX,
  body: agentRunRequest,
  responses: {
    200: { description: 'The run, which has ended.', body: agentRunWithTranscript },
    202: { description: 'The run, which goes on.', body: agentRunWithTranscript },
  },
  errors: [
    'agent_not_found',
    'agent_too_deep',
    'too_many_requests',
    'storage_failed',
    'storage_full',
  ],
  onReplica: 'redirect',
  summary: 'Run an agent as the caller; whether it went well is in the status of the run.',
} as const satisfies Operation;

export const listAgentRuns = {
  id: 'listAgentRuns',
  sdk: 'agents.listRuns',
  area: 'assistant',
  method: 'GET',
  path: '/api/chatai/agent-runs',
  auth: 'session',
  noGuests: true,
  query: agentRunsQuery,
  responses: { 200: { description: 'Runs, the newest first.', body: listOf(agentRun) } },
  errors: [],
  onReplica: 'redirect',
  summary: "List runs of agents: the caller's own, and all of them for administrators.",
} as const satisfies Operation;

export const getAgentRun = {
  id: 'getAgentRun',
  sdk: 'agents.getRun',
  area: 'assistant',
  method: 'GET',
  path: '/api/chatai/agent-runs/{uid}',
  auth: 'session',
  noGuests: true,
  params: agentRunInPath,
  responses: { 200: { description: 'The run.', body: agentRunWithTranscript } },
  errors: ['agent_run_not_found'],
  onReplica: 'redirect',
  summary: 'Read a run of an agent, with what was said and which tools were called.',
} as const satisfies Operation;

export const cancelAgentRun = {
  id: 'cancelAgentRun',
  sdk: 'agents.cancelRun',
  area: 'assistant',
  method: 'POST',
  path: '/api/chatai/agent-runs/{uid}/cancel',
  auth: 'session',
  noGuests: true,
  params: agentRunInPath,
  responses: {
    200: { description: 'The run, which has ended.', body: agentRunWithTranscript },
  },
  errors: ['agent_run_not_found', 'storage_failed', 'storage_full'],
  onReplica: 'redirect',
  summary: 'End a run of an agent; one that has ended stays as it is.',
} as const satisfies Operation;
