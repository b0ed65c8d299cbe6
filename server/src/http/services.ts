import type { Caller } from '#access/caller.ts';
import type { AccessService } from '#access/access-service.ts';
import type { IngestService } from '#access/ingest-service.ts';
import type { NodeBulk } from '#access/node-bulk.ts';
import type { NodeService } from '#access/node-service.ts';
import type { NodeWriter } from '#access/node-writer.ts';
import type { RunningCallers } from '#access/running-callers.ts';
import type { SchemaService } from '#access/schema-service.ts';
import type { AdminAgent } from '#assistant/admin-agent/admin-agent.ts';
import type { AgentRuns } from '#assistant/agents/agent-runs.ts';
import type { AgentService } from '#assistant/agents/agent-service.ts';
import type { ChatService } from '#assistant/chat/chat-service.ts';
import type { FeedbackService } from '#assistant/chat/feedback-service.ts';
import type { McpService } from '#assistant/mcp/mcp-service.ts';
import type { AssistantSettingsService } from '#assistant/assistant-settings.ts';
import type { ProviderSettings } from '#assistant/provider-settings.ts';
import type { GoldenAnswers } from '#assistant/golden/golden-answers.ts';
import type { DeepResearch } from '#assistant/research/deep-research.ts';
import type { ClientProtocol, LlmAnswer, LlmCall } from '#assistant/router/llm-call.ts';
import type { MonthBudgets } from '#assistant/router/month-budgets.ts';
import type { ToolService } from '#assistant/tools/tool-service.ts';
import type { SchemaChangeService } from '#definitions/schema-changes/schema-change-service.ts';
import type { DefinitionsService } from '#definitions/definitions-service.ts';
import type { FileUploads } from '#files/file-uploads.ts';
import type { NodeFiles } from '#files/node-files.ts';
import type { AuditService } from '#identity/audit-service.ts';
import type { IdentityService } from '#identity/identity-service.ts';
import type { PasswordResetService } from '#identity/password-reset-service.ts';
import type { PrincipalService } from '#identity/principal-service.ts';
import type { ScimService } from '#identity/scim/scim-service.ts';
import type { SecretService } from '#identity/secrets/secret-service.ts';
import type { OAuthService } from '#identity/oauth/oauth-service.ts';
import type { SsoService } from '#identity/sso/sso-service.ts';
import type { TeamService } from '#identity/team-service.ts';
import type { TokenService } from '#identity/token-service.ts';
import type { UserService } from '#identity/user-service.ts';
import type { WorkspaceSettings } from '#identity/workspace-settings.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { LogHistory } from '#observe/logs/log-history.ts';
import type { CodeOverview } from '#runtime/code-overview.ts';
import type { EditorService } from '#runtime/editor-service.ts';
import type { EndpointLog } from '#runtime/endpoint-log.ts';
import type { EndpointWorkbench } from '#runtime/endpoint-workbench.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import type { CodeHistoryService } from '#runtime/history/code-history-service.ts';
import type { MigrationService } from '#runtime/migrations/migration-service.ts';
import type { ModuleDefinitions } from '#runtime/modules/module-definitions.ts';
import type { GoldenSetService } from '#search/evaluation/golden-set-service.ts';
import type { LlmSearchSettingsService } from '#search/settings/llm-search-settings.ts';
import type { SearchSettingsService } from '#search/settings/search-settings-service.ts';
import type { NodeEmbeddings } from '#search/similarity/node-embeddings.ts';
import type { SynonymService } from '#search/synonyms/synonym-service.ts';
import type { TaskService } from '#tasks/task-service.ts';
import type { TriggerService } from '#tasks/triggers/trigger-service.ts';
import type { ConnectorService } from '#connectors/connector-service.ts';
import type { DocumentExtractions } from '#assistant/documents/document-extractions.ts';
import type { DuplicateService } from '#duplicates/duplicate-service.ts';
import type { MergeService } from '#duplicates/merge-service.ts';
import type { WebhookService } from '#webhooks/webhook-service.ts';
import type { BackupList } from '@trellis/contract/shapes/backup.ts';
import type { HealthReport } from '@trellis/contract/shapes/health.ts';
import type { InterfaceRecord } from '@trellis/contract/shapes/interface.ts';
import type { JobWithLog } from '@trellis/contract/shapes/job.ts';
import type { LicenseReport } from '@trellis/contract/shapes/workspace.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type { LlmState, LlmUsageList } from '@trellis/contract/shapes/llm.ts';
import type {
  ReplicaAdmission,
  ReplicaHealth,
  ReplicaOverview,
  ReplicaRegistration,
  ReplicaVerification,
} from '@trellis/contract/shapes/replica.ts';
import type { MemberOverview } from '@trellis/contract/shapes/member.ts';
import type { SearchIndexState } from '@trellis/contract/shapes/search.ts';
import type {
  EndpointMetricsList,
  OverviewStatistics,
  RelationStatistics,
} from '@trellis/contract/shapes/stats.ts';

export type Awaitable<T> = T | Promise<T>;

/**
 * What HTTP needs of the rest of the server: the services of the parts as they are, and below them
 * the few that `app` puts together itself. `app` hands them to `createHttpServer(services,
 * options)`.
 *
 * Before a method is called, HTTP has parsed and checked the request against the contract,
 * authenticated the caller, checked the role or scope that the contract's row asks for, and waited
 * for `X-MSK-Min-Sequence`. It does nothing else: rules about data are the services'. A method says
 * no by throwing (or rejecting with) a `Problem` whose code is in the contract's error catalogue,
 * which becomes the error body; anything else thrown becomes `internal_error`, is logged, and shows
 * the caller nothing. `details.retryAfterSeconds` of a problem becomes `Retry-After`.
 */
export interface HttpServices {
  readonly identity: IdentityService;
  /** Work that lasts is registered here, and ends when its caller loses their rights. */
  readonly running: RunningCallers;
  readonly passwordReset: PasswordResetService;
  readonly users: UserService;
  readonly teams: TeamService;
  readonly scim: ScimService;
  readonly audit: AuditService;
  readonly access: AccessService;
  readonly principals: PrincipalService;
  readonly workspace: WorkspaceSettings;
  readonly interfaces: InterfaceService;
  readonly apiDocument: ApiDocumentService;
  readonly definitions: DefinitionsService;
  readonly tokens: TokenService;
  readonly secrets: SecretService;
  readonly schema: SchemaService;
  readonly schemaChanges: SchemaChangeService;
  readonly nodes: NodeService;
  readonly nodeWriter: NodeWriter;
  readonly nodeBulk: NodeBulk;
  readonly nodeFiles: NodeFiles;
  readonly fileUploads: FileUploads;
  readonly ingest: IngestService;
  readonly endpoints: EndpointService;
  readonly modules: ModuleDefinitions;
  readonly codeOverview: CodeOverview;
  readonly editor: EditorService;
  readonly workbench: EndpointWorkbench;
  readonly codeHistory: CodeHistoryService;
  readonly endpointLogs: EndpointLog;
  readonly statistics: StatisticsService;
  readonly license: LicenseService;
  readonly jobs: JobRegistry;
  readonly backups: BackupService;
  readonly tasks: TaskService;
  readonly triggers: TriggerService;
  readonly duplicates: DuplicateService;
  readonly documents: DocumentExtractions;
  readonly merges: MergeService;
  readonly webhooks: WebhookService;
  readonly connectors: ConnectorService;
  readonly migrations: MigrationService;
  readonly logs: LogHistory;
  readonly searchConfiguration: SearchConfiguration;
  readonly goldenSets: GoldenSetService;
  readonly embeddings: NodeEmbeddings;
  readonly aiProviders: ProviderSettings;
  readonly assistantSettings: AssistantSettingsService;
  readonly llm: LlmService;
  readonly llmBudgets: MonthBudgets;
  readonly mcp: McpService;
  readonly tools: ToolService;
  readonly agents: AgentService;
  readonly agentRuns: AgentRuns;
  readonly deepResearch: DeepResearch;
  readonly goldenAnswers: GoldenAnswers;
  readonly chat: ChatService;
  readonly feedback: FeedbackService;
  readonly llmSearchSettings: LlmSearchSettingsService;
  readonly adminAgent: AdminAgent;
  readonly sso: SsoService;
  readonly oauth: OAuthService;
  readonly status: StatusService;
  readonly replicas: ReplicaService;
  readonly members: MemberService;
  readonly frontEnd: FrontEndService;
  /**
   * The sequence that reads reflect now, at least that of every acknowledged commit. Cheap, because
   * every answer asks for it.
   */
  sequence(): number;
  /**
   * Resolves with true once `sequence()` has reached `sequence`, with false after `timeoutMs` or
   * when the signal aborts.
   */
  waitForSequence(sequence: number, timeoutMs: number, signal: AbortSignal): Promise<boolean>;
}

/** Front ends that were uploaded. `address` is that of the client, for the audit. */
export interface InterfaceService {
  /** By name. */
  list(caller: Caller, page: Page): Awaitable<List<InterfaceRecord>>;
  /**
   * Creates or replaces the interface of this name. If it is the chosen one, it is served once this
   * resolves. Throws `invalid_interface`.
   */
  put(caller: Caller, name: string, zip: Uint8Array, address: string): Promise<InterfaceRecord>;
  /** Throws `interface_not_found`, `interface_in_use`. */
  delete(caller: Caller, name: string, address: string): Promise<void>;
}

export interface ApiDocumentService {
  /** The OpenAPI document for this caller, as JSON text. */
  text(caller: Caller): Awaitable<string>;
}

export interface StatisticsService {
  endpoints(caller: Caller): Awaitable<EndpointMetricsList>;
  overview(caller: Caller): Awaitable<OverviewStatistics>;
  relations(caller: Caller): Awaitable<RelationStatistics>;
  /** This and the next give tables with aligned columns. */
  database(caller: Caller): Awaitable<string>;
  pool(caller: Caller): Awaitable<string>;
}

export interface LicenseService {
  report(): LicenseReport;
}

/**
 * Without a backup target all methods but `list` throw `no_backup_target`. Only one job runs at a
 * time; another call throws `backup_running`.
 */
export interface BackupService {
  /** Lists the backups. Throws when the target cannot be read. */
  list(page: Page): Promise<BackupList>;
  /** `address`, here and below, is that of the client, for the audit. */
  run(caller: Caller, address: string): Awaitable<JobWithLog>;
  /** This and the next throw `backup_not_found`. */
  verify(caller: Caller, id: string, address: string): Promise<JobWithLog>;
  remove(caller: Caller, id: string, address: string): Promise<void>;
}

/** The settings of search, and the synonyms. */
export interface SearchConfiguration {
  readonly settings: SearchSettingsService;
  readonly synonyms: SynonymService;
  /** How far the index of this process is. */
  indexState(): SearchIndexState;
}

interface UsageOf {
  /** The user whose remaining budget is shown. */
  readonly user: string;
  /** Whether the use of all users is shown, and so the budget of the workspace. */
  readonly isEverybody: boolean;
}

/** The router of requests to the provider of chat. */
export interface LlmService {
  /** Throws `llm_not_configured`. */
  models(): Awaitable<readonly string[]>;
  /** Throws `llm_not_configured`, `model_not_found`. */
  model(name: string): Awaitable<string>;
  /** `client` is what the caller speaks. Throws what the rows of the contract name. */
  chat(client: ClientProtocol, call: LlmCall): Promise<LlmAnswer>;
  embeddings(call: LlmCall): Promise<LlmAnswer>;
  /** The tokens of a request in Anthropic's protocol, before it is sent. */
  countTokens(call: LlmCall): Promise<LlmAnswer>;
  usage(page: Page, of: UsageOf): Awaitable<LlmUsageList>;
  state(): Awaitable<LlmState>;
}

export interface StatusService {
  /**
   * Whether the graph is loaded: before, only the area `status` answers. Cheap: asked on every
   * request.
   */
  ready(): boolean;
  health(): Awaitable<HealthReport>;
  /** Whether this server is ready, and takes changes. Cheap. */
  isPrimary(): boolean;
  /** Of the primary that this member knows; undefined when it is no member. */
  term(): number | undefined;
  replication(): Awaitable<ReplicaHealth>;
}

/** The members of a workspace whose log is in PostgreSQL. Elsewhere both throw `members_off`. */
export interface MemberService {
  /** Throws `log_unreachable`. */
  list(): Promise<MemberOverview>;
  /** Resolves once the primary has begun to. Throws `no_other_member`. */
  stepDown(): Promise<void>;
}

export interface ReplicaService {
  /**
   * `address` is that of the replica. Throws `replication_not_authenticated`, `replication_off`,
   * `invalid_request`.
   */
  register(registration: ReplicaRegistration, address: string): Promise<ReplicaAdmission>;
  /** This and the next throw `replication_off`. */
  list(): Promise<ReplicaOverview>;
  /** Throws `verification_running`. */
  verify(): Promise<ReplicaVerification>;
}

/** The files of the front end, and the other servers that its pages may use. */
export interface FrontEndService {
  /**
   * The file of a path such as `/index.html`, percent-encoded as in a URL; undefined when there is
   * none.
   */
  file(path: string): FrontEndFile | undefined;
  /**
   * `MSKREPLICAURLS`: URLs of servers to read from, with ";" between them (specification, section
   * 2.9).
   */
  replicaUrls(): string;
}

export interface FrontEndFile {
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly digest: string;
}
