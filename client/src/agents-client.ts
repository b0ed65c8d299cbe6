import type {
  AgentChange,
  AgentDefinition,
  AgentRun,
  AgentRunRequest,
  AgentRunWithTranscript,
  AgentSummary,
  NewAgent,
} from '@trellis/contract/shapes/agent.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import type { PageRequest } from './pages.ts';
import { ToolsClient } from './tools-client.ts';
import type { CallOptions } from './transport.ts';

export interface AgentRunListRequest extends PageRequest {
  /** Of this agent only. */
  readonly agent?: string;
}

/** Agents, and their runs. */
export class AgentsClient extends ToolsClient {
  /** Those that the caller may run, by name. */
  listAgents(page: PageRequest = {}, options?: CallOptions): Promise<List<AgentSummary>> {
    return this.get('/api/chatai/agents', options, { ...page });
  }

  /** This and the next three are for administrators. */
  createAgent(agent: NewAgent, options?: CallOptions): Promise<AgentDefinition> {
    return this.post('/api/chatai/agents', agent, options);
  }

  getAgent(name: string, options?: CallOptions): Promise<AgentDefinition> {
    return this.get(agentPath(name), options);
  }

  /** What is left out stays as it is. */
  putAgent(name: string, change: AgentChange, options?: CallOptions): Promise<AgentDefinition> {
    return this.put(agentPath(name), change, options);
  }

  /** Its runs stay. */
  deleteAgent(name: string, options?: CallOptions): Promise<void> {
    return this.tell('DELETE', agentPath(name), undefined, options);
  }

  /** Resolves when the run has ended, however it did: its `status` says. With `async` at once. */
  runAgent(
    name: string,
    request: AgentRunRequest,
    options?: CallOptions,
  ): Promise<AgentRunWithTranscript> {
    return this.post(`${agentPath(name)}/run`, request, options);
  }

  /** The newest first; of everybody for administrators. */
  listAgentRuns(request: AgentRunListRequest = {}, options?: CallOptions): Promise<List<AgentRun>> {
    return this.get('/api/chatai/agent-runs', options, { ...request });
  }

  getAgentRun(uid: string, options?: CallOptions): Promise<AgentRunWithTranscript> {
    return this.get(runPath(uid), options);
  }

  /** One that has ended stays as it is. */
  cancelAgentRun(uid: string, options?: CallOptions): Promise<AgentRunWithTranscript> {
    return this.post(`${runPath(uid)}/cancel`, undefined, options);
  }
}

function agentPath(name: string): string {
  return `/api/chatai/agents/${encodeURIComponent(name)}`;
}

function runPath(uid: string): string {
  return `/api/chatai/agent-runs/${encodeURIComponent(uid)}`;
}
