import { CHANGE_ERRORS, type Rows, STORE_ERRORS, withIds } from '../operation.ts';
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

const own = { area: 'assistant', auth: 'session', noGuests: true, onReplica: 'redirect' } as const;
const writes = { area: 'assistant', auth: 'admin-write', onReplica: 'redirect' } as const;

export const operations = withIds({
  listAgents: {
    ...own,
    sdk: 'agents.list',
    method: 'GET',
    path: '/api/chatai/agents',
    query: pageQuery,
    responses: { 200: { description: 'Agents, by name.', body: listOf(agentSummary) } },
    errors: [],
    summary: 'List the agents that the caller may run.',
  },

  createAgent: {
    ...writes,
    sdk: 'agents.create',
    method: 'POST',
    path: '/api/chatai/agents',
    body: newAgent,
    responses: { 201: { description: 'The agent.', body: agentDefinition } },
    errors: ['agent_exists', ...CHANGE_ERRORS],
    summary: 'Make an agent: instructions for a model, with the tools that it may call.',
  },

  getAgent: {
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
  },

  putAgent: {
    ...writes,
    sdk: 'agents.put',
    method: 'PUT',
    path: '/api/chatai/agents/{name}',
    params: agentInPath,
    body: agentChange,
    responses: { 200: { description: 'The agent after the change.', body: agentDefinition } },
    errors: ['agent_not_found', ...CHANGE_ERRORS],
    summary: 'Change an agent; what is left out stays as it is.',
  },

  deleteAgent: {
    ...writes,
    sdk: 'agents.delete',
    method: 'DELETE',
    path: '/api/chatai/agents/{name}',
    params: agentInPath,
    responses: { 204: { description: 'It is gone; its runs stay.' } },
    errors: ['agent_not_found', ...CHANGE_ERRORS],
    summary: 'Delete an agent.',
  },

  runAgent: {
    ...own,
    sdk: 'agents.run',
    method: 'POST',
    path: '/api/chatai/agents/{name}/run',
    params: agentInPath,
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: agentRunRequest,
    responses: {
      200: { description: 'The run, which has ended.', body: agentRunWithTranscript },
      202: { description: 'The run, which goes on.', body: agentRunWithTranscript },
    },
    errors: ['agent_not_found', 'agent_too_deep', 'too_many_requests', ...STORE_ERRORS],
    summary: 'Run an agent as the caller; whether it went well is in the status of the run.',
  },

  listAgentRuns: {
    ...own,
    sdk: 'agents.listRuns',
    method: 'GET',
    path: '/api/chatai/agent-runs',
    query: agentRunsQuery,
    responses: { 200: { description: 'Runs, the newest first.', body: listOf(agentRun) } },
    errors: [],
    summary: "List runs of agents: the caller's own, and all of them for administrators.",
  },

  getAgentRun: {
    ...own,
    sdk: 'agents.getRun',
    method: 'GET',
    path: '/api/chatai/agent-runs/{uid}',
    params: agentRunInPath,
    responses: { 200: { description: 'The run.', body: agentRunWithTranscript } },
    errors: ['agent_run_not_found'],
    summary: 'Read a run of an agent, with what was said and which tools were called.',
  },

  cancelAgentRun: {
    ...own,
    sdk: 'agents.cancelRun',
    method: 'POST',
    path: '/api/chatai/agent-runs/{uid}/cancel',
    params: agentRunInPath,
    responses: {
      200: { description: 'The run, which has ended.', body: agentRunWithTranscript },
    },
    errors: ['agent_run_not_found', ...STORE_ERRORS],
    summary: 'End a run of an agent; one that has ended stays as it is.',
  },
} as const satisfies Rows);
