import type { Caller } from '#access/caller.ts';
import type {
  AgentChange,
  AgentDefinition,
  AgentRun,
  AgentRunRequest,
  AgentRunWithTranscript,
  AgentSummary,
  NewAgent,
} from '@trellis/contract/shapes/agent.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type { Awaitable } from './answer.ts';

/** What administrators make of models and tools. `address` is that of the client, for the audit. */
export interface AgentService {
  /** Those that the caller may run. */
  list(caller: Caller, page: Page): Awaitable<List<AgentSummary>>;
  /** Throws `agent_exists`, and `invalid_request` for a schema that cannot be checked. */
  create(caller: Caller, agent: NewAgent, address: string): Promise<AgentDefinition>;
  /** This and the next two throw `agent_not_found`; the next two `version_conflict` as well. */
  get(caller: Caller, name: string): Awaitable<AgentDefinition>;
  put(caller: Caller, name: string, change: AgentChange, address: string): Promise<AgentDefinition>;
  delete(caller: Caller, name: string, address: string): Promise<void>;
}

/** Runs of agents: each the own of its user, and of administrators. */
export interface AgentRunService {
  /** Resolves when the run has ended, however it did. This and the next throw `agent_not_found`, `too_many_requests`. */
  run(
    caller: Caller,
    name: string,
    request: AgentRunRequest,
    origin: AgentRunOrigin,
  ): Promise<AgentRunWithTranscript>;
  /** Resolves when it has begun. */
  start(
    caller: Caller,
    name: string,
    request: AgentRunRequest,
    origin: AgentRunOrigin,
  ): Promise<AgentRunWithTranscript>;
  list(
    caller: Caller,
    query: Page & { readonly agent?: string | undefined },
  ): Awaitable<List<AgentRun>>;
  /** This and the next throw `agent_run_not_found`. */
  get(caller: Caller, uid: string): Awaitable<AgentRunWithTranscript>;
  /** Resolves when it has ended; one that had stays as it is. */
  cancel(caller: Caller, uid: string): Promise<AgentRunWithTranscript>;
}

export interface AgentRunOrigin {
  readonly address: string;
  /** Those that the code of endpoints may see, as JSON text of an object. */
  readonly headers: string;
  readonly authorization: string | undefined;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}
