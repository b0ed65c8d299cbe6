import type { Caller } from '#access/caller.ts';
import type { RunningCallers } from '#access/running-callers.ts';
import type {
  EndpointChange,
  EndpointCheck,
  EndpointDefinition,
  EndpointDraft,
  NewEndpoint,
} from '@trellis/contract/shapes/endpoint.ts';
import type {
  AccessExplanation,
  NodeAccess,
  NodeAccessChange,
  TypeAccessDocument,
} from '@trellis/contract/shapes/access.ts';
import type { IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import type { HealthReport } from '@trellis/contract/shapes/health.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type {
  ReplicaAdmission,
  ReplicaHealth,
  ReplicaOverview,
  ReplicaRegistration,
  ReplicaVerification,
} from '@trellis/contract/shapes/replica.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { CreatedToken, NewToken, TokenRecord } from '@trellis/contract/shapes/token.ts';
import type { TokenKind } from '@trellis/contract/token-kinds.ts';
import type {
  AuditService,
  PasswordResetService,
  PrincipalService,
  TeamService,
  UserService,
  WorkspaceSettingsService,
} from './people-services.ts';
import type {
  BuildService,
  CodeHistoryService,
  EndpointLogService,
  EditorService,
  StatisticsService,
} from './build-services.ts';
import type { AdminAgentService } from './admin-agent-service.ts';
import type { AgentRunService, AgentService } from './agent-service.ts';
import type { ApiDocumentService } from './api-document-service.ts';
import type { AiProviderService } from './ai-provider-service.ts';
import type { ChatService } from './chat-service.ts';
import type { DeepResearchService } from './deep-research-service.ts';
import type { DefinitionsService } from './definitions-service.ts';
import type { EmbeddingService } from './embedding-service.ts';
import type { FrontEndService } from './front-end-service.ts';
import type { GoldenSetService } from './golden-set-service.ts';
import type { InterfaceService } from './interface-service.ts';
import type { McpService } from './mcp-service.ts';
import type { LlmService } from './llm-service.ts';
import type { FileService } from './file-service.ts';
import type { NodeService } from './node-service.ts';
import type {
  BackupService,
  JobService,
  LicenseService,
  LogService,
} from './operations-services.ts';
import type { SearchConfigurationService } from './search-configuration-service.ts';
import type { SsoService } from './sso-service.ts';
import type { MigrationService } from './migration-service.ts';
import type { TaskService } from './task-service.ts';
import type { LlmSearchSettingsService, ToolService } from './tool-service.ts';
import type { Awaitable } from './answer.ts';

/**
 * What HTTP needs of the rest of the server. `app` makes one object of this shape from the parts and hands it to
 * `createHttpServer(services, options)`; the parts know nothing of this file.
 *
 * Before a method is called, HTTP has: parsed and checked the request against the contract, authenticated the caller,
 * checked the role or scope that the contract's row asks for, waited for `X-MSK-Min-Sequence`. It does nothing else:
 * rules about data are the services'. A method says no by throwing (or rejecting with) a `Problem` whose code is in the
 * contract's error catalogue, which becomes the error body; anything else thrown becomes `internal_error`, is logged,
 * and shows the caller nothing. `details.retryAfterSeconds` of a problem becomes `Retry-After`.
 */
export interface HttpServices {
  readonly identity: IdentityService;
  /** Whatever goes on for longer than a moment is registered here, and ends with the rights of its caller. */
  readonly running: RunningCallers;
  readonly passwordReset: PasswordResetService;
  readonly users: UserService;
  readonly teams: TeamService;
  readonly audit: AuditService;
  readonly access: AccessService;
  readonly principals: PrincipalService;
  readonly workspace: WorkspaceSettingsService;
  readonly interfaces: InterfaceService;
  readonly apiDocument: ApiDocumentService;
  readonly definitions: DefinitionsService;
  readonly tokens: TokenService;
  readonly schema: SchemaService;
  readonly nodes: NodeService;
  readonly nodeFiles: FileService;
  readonly ingest: IngestService;
  readonly endpoints: EndpointService;
  readonly build: BuildService;
  readonly editor: EditorService;
  readonly codeHistory: CodeHistoryService;
  readonly endpointLogs: EndpointLogService;
  readonly statistics: StatisticsService;
  readonly license: LicenseService;
  readonly jobs: JobService;
  readonly backups: BackupService;
  readonly tasks: TaskService;
  readonly migrations: MigrationService;
  readonly logs: LogService;
  readonly searchConfiguration: SearchConfigurationService;
  readonly goldenSets: GoldenSetService;
  readonly embeddings: EmbeddingService;
  readonly aiProviders: AiProviderService;
  readonly llm: LlmService;
  readonly mcp: McpService;
  readonly tools: ToolService;
  readonly agents: AgentService;
  readonly agentRuns: AgentRunService;
  readonly deepResearch: DeepResearchService;
  readonly chat: ChatService;
  readonly llmSearchSettings: LlmSearchSettingsService;
  readonly adminAgent: AdminAgentService;
  readonly sso: SsoService;
  readonly status: StatusService;
  readonly replicas: ReplicaService;
  readonly frontEnd: FrontEndService;
  /** The sequence that reads reflect now; at least that of every commit acknowledged so far. Cheap: asked on every answer. */
  sequence(): number;
  /** True as soon as `sequence()` has reached `sequence`, false once `timeoutMs` have passed or the signal aborts. */
  waitForSequence(sequence: number, timeoutMs: number, signal: AbortSignal): Promise<boolean>;
}

export interface IdentityService {
  /** The caller a token stands for; throws `invalid_token`. Called on every request: synchronous when it can be. */
  authenticate(token: string): Caller | Promise<Caller>;
  /** Throws `invalid_token` unless it was signed here and has not expired: the part that no commit can change. */
  verify(token: string): void;
  /**
   * `address` is that of the client, for throttling; `marks` are what its browser keeps of sign-ins before, and shall keep from
   * now on. Throws `invalid_credentials`, `too_many_requests`.
   */
  login(
    user: string,
    password: string,
    address: string,
    marks?: string,
  ): Promise<{ readonly token: string; readonly expiresAt: string; readonly marks: string }>;
  check(
    caller: Caller,
  ): Awaitable<{ readonly user: { readonly uid: string; readonly name: string } }>;
  /** Throws `wrong_password`, `weak_password`, `too_many_requests`. */
  changePassword(
    caller: Caller,
    change: { readonly oldPassword: string; readonly newPassword: string },
    address: string,
  ): Promise<void>;
  /** Ends the session of the caller. */
  endSession(caller: Caller, address: string): Promise<void>;
}

/** `address` is that of the client, for the audit. */
export interface TokenService {
  list(
    caller: Caller,
    page: Page & {
      readonly kind?: TokenKind | undefined;
      readonly revoked?: boolean | undefined;
    },
  ): Awaitable<List<TokenRecord>>;
  /** Throws `invalid_request` for what the kind does not take, or needs. */
  create(caller: Caller, token: NewToken, address: string): Promise<CreatedToken>;
  /** Resolves as well when it was revoked before; throws `token_not_found`. */
  revoke(caller: Caller, id: string, address: string): Promise<void>;
}

export interface AccessService {
  types(caller: Caller): Awaitable<TypeAccessDocument>;
  /** Throws `invalid_request` for what there is not, `version_conflict`. */
  putTypes(
    caller: Caller,
    document: TypeAccessDocument,
    address: string,
  ): Promise<TypeAccessDocument>;
  /** `user` is a UID or a name. Throws `user_not_found`, `node_not_found`. */
  explain(caller: Caller, user: string, node: string): Awaitable<AccessExplanation>;
  /** This and the next throw `node_not_found` for what the caller does not see, `forbidden` for what is not theirs. */
  node(caller: Caller, uid: string): Awaitable<NodeAccess>;
  putNode(
    caller: Caller,
    uid: string,
    change: NodeAccessChange,
    address: string,
  ): Promise<NodeAccess>;
}

export interface SchemaService {
  get(caller: Caller): Awaitable<SchemaDocument>;
  /** Resolves with the whole schema after the change; throws `schema_conflict`. */
  put(caller: Caller, document: SchemaDocument): Promise<SchemaDocument>;
}

export interface IngestService {
  /** One atomic commit. The operations are as they arrived, unchecked: throws `invalid_operation` with `details.index`. */
  commit(caller: Caller, operations: readonly unknown[], address: string): Promise<IngestSummary>;
  /** A stream of NDJSON, committed every 10,000 lines. */
  openStream(caller: Caller, address: string): Awaitable<IngestStream>;
}

/**
 * One NDJSON stream. `write` takes bytes cut anywhere and resolves when more may come (backpressure); it is not called
 * again before that. It rejects with the problem of the commit that failed: then neither `write` nor `end` follows, only
 * `abort`. Exactly one of `end` and `abort` ends every stream.
 */
export interface IngestStream {
  write(chunk: Uint8Array): Promise<void>;
  /** Commits what is left and resolves with the totals of the whole stream. */
  end(): Promise<IngestSummary>;
  /** Drops what is not committed yet: the client has gone, or the request was refused. */
  abort(): Awaitable<void>;
}

export interface EndpointService {
  /** Throws `endpoint_exists`, `not_read_only`. */
  create(caller: Caller, endpoint: NewEndpoint): Promise<EndpointDefinition>;
  list(caller: Caller, page: Page): Awaitable<List<EndpointDefinition>>;
  /** This and the next two throw `endpoint_not_found`. */
  get(caller: Caller, name: string): Awaitable<EndpointDefinition>;
  /** Throws `version_conflict`, `not_read_only`. */
  put(caller: Caller, name: string, change: EndpointChange): Promise<EndpointDefinition>;
  delete(caller: Caller, name: string): Promise<void>;
  check(caller: Caller, draft: EndpointDraft): Promise<EndpointCheck>;
  run(call: EndpointCall): Promise<EndpointAnswer>;
  /** Ends a run of mode "pooling" by its key, if it is the caller's. Throws `endpoint_not_found`, `forbidden`, `run_not_found`. */
  cancelRun(caller: Caller, name: string, runKey: string | null): Awaitable<void>;
}

export interface EndpointCall {
  readonly caller: Caller;
  readonly name: string;
  /** JSON text, not parsed and not checked (`malformed_json` is the worker's to find); null without a body. */
  readonly body: string | null;
  /** Of the request, as JSON text of an object: lower case, without those that carry credentials. */
  readonly headers: string;
  /** The header that has proved who calls. */
  readonly authorization: string | undefined;
  /** `MSK-ENDPOINT-KEY` or `X-MSK-ENDPOINT-KEY`: the call continues a run that was started before. */
  readonly runKey: string | null;
  /** Told the key of a run of mode "pooling": whatever the answer is, an error too, carries it. */
  readonly onRunKey: (key: string) => void;
  /** Looked at now and then: whether the client has gone or the server stops. */
  readonly signal: { readonly aborted: boolean; readonly reason: unknown };
}

/** Sent as it is. `body` is JSON text, null for no body; `headers` are added to those that every answer carries. */
export interface EndpointAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface StatusService {
  /** Whether the graph is loaded: before, only the area `status` answers. Cheap: asked on every request. */
  ready(): boolean;
  health(): Awaitable<HealthReport>;
  replication(): Awaitable<ReplicaHealth>;
}

export interface ReplicaService {
  /** `address` is that of the replica. Throws `replication_not_authenticated`, `replication_off`, `invalid_request`. */
  register(registration: ReplicaRegistration, address: string): Promise<ReplicaAdmission>;
  /** This and the next throw `replication_off`. */
  list(): Promise<ReplicaOverview>;
  /** Throws `verification_running`. */
  verify(): Promise<ReplicaVerification>;
}
