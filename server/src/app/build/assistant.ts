import type { AccessIndex } from '#access/access-index.ts';
import type { Caller } from '#access/caller.ts';
import type { NodeService } from '#access/node-service.ts';
import type { NodeWriter } from '#access/node-writer.ts';
import type { RunningCallers } from '#access/running-callers.ts';
import type { SchemaService } from '#access/schema-service.ts';
import type { AdminAgent } from '#assistant/admin-agent/admin-agent.ts';
import { AssistantSettingsService } from '#assistant/assistant-settings.ts';
import { AgentRuns, type AgentRunsParts } from '#assistant/agents/agent-runs.ts';
import { AgentService } from '#assistant/agents/agent-service.ts';
import { ChatService } from '#assistant/chat/chat-service.ts';
import { ChatStore } from '#assistant/chat/chat-store.ts';
import { FeedbackService } from '#assistant/chat/feedback-service.ts';
import { GoldenAnswers, type GoldenAnswersParts } from '#assistant/golden/golden-answers.ts';
import { GoldenChecks, type GoldenChecksParts } from '#assistant/golden/golden-checks.ts';
import { McpService } from '#assistant/mcp/mcp-service.ts';
import { EndpointModels } from '#assistant/model/endpoint-models.ts';
import { SdkModelRunner } from '#assistant/model/sdk-model-runner.ts';
import { WorkspaceBrief } from '#assistant/model/workspace-brief.ts';
import { DeepResearch, type DeepResearchParts } from '#assistant/research/deep-research.ts';
import { ResearchSettings } from '#assistant/research/research-settings.ts';
import type { MonthBudgets } from '#assistant/router/month-budgets.ts';
import type { LlmSettings } from '#assistant/router/admission.ts';
import { AnswerChecker, type AnswerCheckerParts } from '#assistant/support/answer-checker.ts';
import { CallerTools } from '#assistant/tools/caller-tools.ts';
import { ToolCatalog, ToolStore } from '#assistant/tools/tool-catalog.ts';
import { ToolVectors } from '#assistant/tools/tool-vectors.ts';
import { ToolRuns } from '#assistant/tools/tool-runs.ts';
import { ToolMetrics, ToolService } from '#assistant/tools/tool-service.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import type { FileStore } from '#files/file-store.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { LlmService, SearchConfiguration } from '#http/services.ts';
import { findUser, findUserByName } from '#identity/users.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import type { TextVectors } from '#search/embeddings/embed-texts.ts';
import { LlmSearchSettingsService } from '#search/settings/llm-search-settings.ts';
import { VERSION } from '../server-status.ts';
import { buildAdminAgent } from './admin-agent.ts';
import { buildDocuments, type DocumentArguments, type Documents } from './documents.ts';
import type { Foundation } from './foundation.ts';
import { buildLlm, type Llm } from './llm.ts';
import { callerFor } from './tasks.ts';

export interface AssistantArguments {
  readonly access: AccessIndex;
  readonly jobs: JobRegistry;
  readonly running: RunningCallers;
  /** Tools run endpoints. */
  readonly endpoints: EndpointService;
  readonly nodes: NodeService;
  readonly nodeWriter: Pick<NodeWriter, 'types'>;
  readonly schema: SchemaService;
  readonly files: FileStore;
  readonly providers: LlmSettings;
  /** Tools are chosen by their meaning where there is a provider of embeddings. */
  readonly textVectors: TextVectors;
  readonly searchConfiguration: SearchConfiguration;
  readonly changes: DocumentArguments['changes'];
}

export interface Assistant extends AsyncDisposable {
  readonly llm: LlmService;
  readonly llmBudgets: MonthBudgets;
  readonly mcp: McpService;
  readonly tools: ToolService;
  readonly llmSearchSettings: LlmSearchSettingsService;
  readonly assistantSettings: AssistantSettingsService;
  readonly agents: AgentService;
  readonly agentRuns: AgentRuns;
  readonly chat: ChatService;
  readonly feedback: FeedbackService;
  readonly deepResearch: DeepResearch;
  readonly goldenAnswers: GoldenAnswers;
  readonly adminAgent: AdminAgent;
  readonly documents: Documents['documents'];
  readonly startDocuments: Documents['startDocuments'];
  /** The models that the code of endpoints asks. */
  readonly endpointModels: EndpointModels;
  /** Tokens that everybody used of models since the process started. */
  readonly modelTokens: Llm['tokensUsed'];
}

/** Builds what asks models: the router, the tools, and the services that answer with both. */
export async function buildAssistant(
  foundation: Foundation,
  parts: AssistantArguments,
): Promise<Assistant> {
  const { isReplica } = foundation;
  const { access, jobs, endpoints, nodes, files } = parts;
  await using opened = new AsyncDisposableStack();
  const asking = opened.use(buildLlm(foundation, parts.providers, (user) => access.teamsOf(user)));
  const { llm, budgets: llmBudgets, router, admission, tokensUsed } = asking;
  const { mcp, tools, llmSearchSettings, callerTools } = buildTools(foundation, parts);
  const models = buildModels(foundation, parts, asking);
  const { assistantSettings, brief } = buildBrief(foundation, parts);
  const checker = buildChecker(foundation, { access, models, settings: assistantSettings });
  const agents = new AgentService(foundation);
  const agentRuns = opened.use(
    await openAgentRuns(foundation, { access, callerTools, models, brief, checker }),
  );
  const allowedModels = (): readonly string[] => admission.models();
  const answering = { access, models, allowedModels, brief, checker, tools: callerTools };
  const chat = opened.use(new ChatService({ ...foundation, ...answering, nodes }));
  const deepResearch = opened.use(
    buildDeepResearch(foundation, { jobs, chat, callerTools, ...answering }),
  );
  const adminAgent = opened.use(
    buildAdminAgent(foundation, {
      endpoints,
      tools,
      agents,
      schema: parts.schema,
      searchConfiguration: parts.searchConfiguration,
      models,
      files,
      requireProvider: () => void admission.chatTarget(),
    }),
  );
  const goldenAnswers = opened.use(
    await openGoldenAnswers(foundation, {
      ...answering,
      jobs,
      judge: () => assistantSettings.current().judge,
    }),
  );
  const documents = opened.use(buildDocuments(foundation, { ...parts, models, allowedModels }));
  const resources = opened.move();
  return {
    llm,
    llmBudgets,
    mcp,
    tools,
    llmSearchSettings,
    assistantSettings,
    agents,
    agentRuns,
    chat,
    feedback: new FeedbackService({ ...foundation, access }),
    deepResearch,
    goldenAnswers,
    adminAgent,
    documents: documents.documents,
    startDocuments: documents.startDocuments,
    endpointModels: new EndpointModels({ models, router, admission, agentRuns, isReplica }),
    modelTokens: tokensUsed,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function buildModels(
  { logger }: Foundation,
  { running }: AssistantArguments,
  { admission, streams }: Llm,
): SdkModelRunner {
  return new SdkModelRunner({
    admission,
    streams,
    running,
    now: () => performance.now(),
    onToolFault: (err, tool) => logger.error({ err, tool }, 'a tool of a model failed'),
  });
}

function buildChecker(
  { reader, logger }: Foundation,
  parts: Pick<AnswerCheckerParts, 'access' | 'models' | 'settings'>,
): AnswerChecker {
  return new AnswerChecker({
    ...parts,
    reader,
    onFault: (err) => logger.error({ err }, 'the support of an answer could not be checked'),
  });
}

/** What administrators tell models, and what these are told of the workspace. */
function buildBrief(
  foundation: Foundation,
  { nodeWriter, providers }: Pick<AssistantArguments, 'nodeWriter' | 'providers'>,
) {
  const assistantSettings = new AssistantSettingsService({
    ...foundation,
    chatTargets: () => providers.chatTargets(),
  });
  const brief = new WorkspaceBrief({
    types: (caller) => nodeWriter.types(caller),
    instructions: () => assistantSettings.current().instructions,
  });
  return { assistantSettings, brief };
}

function buildDeepResearch(
  foundation: Foundation,
  parts: Pick<DeepResearchParts, 'jobs' | 'chat' | 'models' | 'brief' | 'checker'> & {
    readonly allowedModels: () => readonly string[];
    readonly callerTools: CallerTools;
  },
): DeepResearch {
  const { reader, commits, logger } = foundation;
  const { allowedModels, callerTools, ...used } = parts;
  return new DeepResearch({
    ...foundation,
    ...used,
    store: new ChatStore(reader, commits),
    settings: new ResearchSettings(foundation),
    // The one that is asked when nobody says first.
    model: () => must(allowedModels()[0], 'a model of the provider'),
    tools: (caller, snippets, question) =>
      callerTools.for(caller, { snippets, question, isReadOnlyOnly: true }),
    renewed: (caller) => renewedCaller(reader, caller),
    onFault: (err) => logger.error({ err }, 'a research failed'),
  });
}

/** Runs of agents; those that the last stop cut off are marked as failed. */
async function openAgentRuns(
  foundation: Foundation,
  parts: Pick<AgentRunsParts, 'access' | 'models' | 'callerTools' | 'brief' | 'checker'>,
): Promise<AgentRuns> {
  const { logger, views, isReplica } = foundation;
  const runs = new AgentRuns({
    ...foundation,
    ...parts,
    now: () => performance.now(),
    onFault: (err) => logger.error({ err }, 'a run of an agent failed'),
    onChange: (user) => views.changed('agent-runs', user),
  });
  if (!isReplica) await runs.failInterrupted();
  return runs;
}

/** Golden answers; runs that the last stop cut off are marked as interrupted. */
async function openGoldenAnswers(
  foundation: Foundation,
  parts: Pick<
    GoldenAnswersParts,
    'access' | 'jobs' | 'models' | 'tools' | 'brief' | 'allowedModels'
  > &
    Pick<GoldenChecksParts, 'judge'>,
): Promise<GoldenAnswers> {
  const { reader, logger, isReplica } = foundation;
  const goldenAnswers = new GoldenAnswers({
    ...foundation,
    ...parts,
    checks: new GoldenChecks({ ...foundation, ...parts }),
    callerFor: (user) => {
      reader.refresh();
      const found = findUser(reader, user) ?? findUserByName(reader, user);
      return found === undefined ? undefined : callerFor(reader, found.uid);
    },
    now: () => performance.now(),
    onFault: (err) => logger.error({ err }, 'a run of golden answers failed'),
  });
  if (!isReplica) await goldenAnswers.endInterrupted();
  return goldenAnswers;
}

/** The tools that models are offered, and the protocol by which other clients reach them. */
function buildTools(
  foundation: Foundation,
  { endpoints, nodes, providers, textVectors }: AssistantArguments,
) {
  const { reader, clock } = foundation;
  const now = (): number => performance.now();
  const metrics = new ToolMetrics();
  const llmSearchSettings = new LlmSearchSettingsService(foundation);
  const catalog = new ToolCatalog(endpoints, new ToolStore(reader));
  const vectors = new ToolVectors({
    model: () => providers.embeddingModel(),
    vectors: textVectors,
  });
  const runs = new ToolRuns({
    run: (run) => endpoints.run(run),
    narrowSearch: (request) => llmSearchSettings.narrowed(request),
    onCalled: (tool, ms, isError) => metrics.record(tool, ms, isError, clock.now()),
    now,
  });
  return {
    mcp: new McpService({ catalog, runs, nodes, version: VERSION, now }),
    tools: new ToolService({ ...foundation, endpoints, metrics }),
    llmSearchSettings,
    callerTools: new CallerTools(catalog, runs, vectors),
  };
}

/**
 * A research goes on after the request that began it: its caller has the rights that the user's
 * record gives now.
 */
function renewedCaller(reader: GraphReader, caller: Caller): Caller {
  reader.refresh();
  const user = findUser(reader, must(caller.userUid, 'the user of a research'));
  if (user?.active !== true) {
    throw new Problem('forbidden', 'The user who asked for this is not active any more.');
  }
  const { isAdmin, isReadOnlyAdmin, isGuest, roles } = user;
  return { ...caller, isAdmin, isReadOnlyAdmin, isGuest, roles };
}
