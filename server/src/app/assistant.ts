import type { RunningCallers } from '#access/running-callers.ts';
import type { AccessIndex } from '#access/access-index.ts';
import { ChatService } from '#assistant/chat/chat-service.ts';
import { EndpointModels } from '#assistant/model/endpoint-models.ts';
import { SdkModelRunner } from '#assistant/model/sdk-model-runner.ts';
import type { LlmSettings } from '#assistant/router/admission.ts';
import { systemClock } from '#base/clock.ts';
import type { FileStore } from '#files/file-store.ts';
import type { HttpServices } from '#http/services.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { Logger } from '#observe/logger.ts';
import type { Telemetry } from '#observe/telemetry/telemetry.ts';
import { openAdminAgent } from './admin-agent.ts';
import { openAgents } from './agents.ts';
import type { DefinitionSources } from './definitions.ts';
import { openDeepResearch } from './deep-research.ts';
import { openLlm, type OpenLlm } from './llm-router.ts';
import { openTools, type ToolsParts } from './tools.ts';

export interface AssistantParts extends ToolsParts {
  readonly access: AccessIndex;
  readonly logger: Logger;
  readonly jobs: JobRegistry;
  readonly files: FileStore;
  readonly providers: LlmSettings;
  readonly running: RunningCallers;
  readonly isReplica: boolean;
  readonly searchConfiguration: HttpServices['searchConfiguration'];
  readonly telemetry: Telemetry | undefined;
}

export interface OpenAssistant extends AsyncDisposable {
  /** What HTTP offers of it. */
  readonly services: Pick<
    HttpServices,
    | 'llm'
    | 'mcp'
    | 'tools'
    | 'llmSearchSettings'
    | 'agents'
    | 'agentRuns'
    | 'deepResearch'
    | 'chat'
    | 'adminAgent'
  >;
  /** Of these, what administrators define. */
  readonly definers: Pick<
    DefinitionSources,
    'tools' | 'agents' | 'deepResearch' | 'llmSearchSettings'
  >;
  /** What the code of endpoints asks. */
  readonly endpointModels: EndpointModels;
  /** Of models, by everybody, since the process started. */
  readonly tokensUsed: OpenLlm['tokensUsed'];
}

/** Puts together what asks models: the router, the tools, and what answers with both. */
export async function openAssistant(parts: AssistantParts): Promise<OpenAssistant> {
  await using opened = new AsyncDisposableStack();
  const { logger, providers } = parts;
  const { llm, router, admission, streams, tokensUsed } = opened.use(
    openLlm({ ...parts, settings: providers }),
  );
  const { callerTools, ...tools } = openTools(parts);
  const modelRunner = new SdkModelRunner({
    admission,
    streams,
    running: parts.running,
    now: () => performance.now(),
    onToolFault: (err, tool) => logger.error({ err, tool }, 'a tool of a model failed'),
  });
  const models = modelRunner;
  const { agents, agentRuns } = opened.use(await openAgents({ ...parts, models, callerTools }));
  const chat = opened.use(
    new ChatService({
      ...parts,
      models,
      allowedModels: () => admission.models(),
      tools: callerTools,
      clock: systemClock,
    }),
  );
  const deepResearch = opened.use(
    openDeepResearch({
      ...parts,
      chat,
      callerTools,
      models,
      allowedModels: () => admission.models(),
    }),
  );
  const adminAgent = opened.use(
    openAdminAgent({
      ...parts,
      ...tools,
      agents,
      modelRunner,
      requireProvider: () => void admission.chatTarget(),
    }),
  );
  const resources = opened.move();
  return {
    services: { llm, ...tools, agents, agentRuns, deepResearch, chat, adminAgent },
    tokensUsed,
    definers: { ...tools, agents, deepResearch },
    endpointModels: new EndpointModels({
      models,
      router,
      admission,
      agentRuns,
      isReplica: parts.isReplica,
    }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
