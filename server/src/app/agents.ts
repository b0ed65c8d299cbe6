import type { AuditTrail } from '#access/audit-event.ts';
import { AgentRuns } from '#assistant/agents/agent-runs.ts';
import { AgentService } from '#assistant/agents/agent-service.ts';
import type { ModelRunner } from '#assistant/model/model-run.ts';
import type { CallerTools } from '#assistant/tools/caller-tools.ts';
import { systemClock } from '#base/clock.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Logger } from '#observe/logger.ts';

export interface AgentParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly logger: Logger;
  readonly models: ModelRunner;
  readonly callerTools: CallerTools;
  readonly isReplica: boolean;
}

export interface OpenAgents extends AsyncDisposable {
  readonly agents: AgentService;
  readonly agentRuns: AgentRuns;
}

/** Puts together agents and their runs; those that the last stop cut off have failed. */
export async function openAgents(parts: AgentParts): Promise<OpenAgents> {
  const { logger, isReplica } = parts;
  const agentRuns = new AgentRuns({
    ...parts,
    clock: systemClock,
    now: () => performance.now(),
    onFault: (err) => logger.error({ err }, 'a run of an agent failed'),
  });
  if (!isReplica) await agentRuns.failInterrupted();
  return {
    agents: new AgentService({ ...parts, clock: systemClock }),
    agentRuns,
    [Symbol.asyncDispose]: () => agentRuns[Symbol.asyncDispose](),
  };
}
