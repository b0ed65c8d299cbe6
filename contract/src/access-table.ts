import { CALLER_KINDS, type AccessRow, type CallerKind } from './caller-kinds.ts';

/** Nothing is asked of the caller. */
const ANYBODY: AccessRow = { allowed: CALLER_KINDS };
const ADMINISTRATORS: readonly CallerKind[] = ['read-only-administrator', 'administrator'];
const WRITERS: readonly CallerKind[] = ['administrator'];
const MEMBERS: readonly CallerKind[] = [
  'user',
  'team-administrator',
  'synonym-manager',
  ...ADMINISTRATORS,
];
const SIGNED_IN: readonly CallerKind[] = ['guest', ...MEMBERS];

const session = { allowed: SIGNED_IN };
const noGuests = { allowed: MEMBERS };
const read = { allowed: ADMINISTRATORS };
const write = { allowed: WRITERS };
/** A token with the right scope beside the sessions. */
const withScope = (...sessions: readonly CallerKind[]): AccessRow => ({
  allowed: [...sessions, 'api-token'],
});
/** The one scope of the token that lacks the others is this one. */
const backingUp = (...sessions: readonly CallerKind[]): AccessRow => ({
  allowed: [...sessions, 'api-token', 'api-token-without-scope'],
});
/** Sessions, those who back up, and automation, which manages tasks. */
const jobsOf = (...sessions: readonly CallerKind[]): AccessRow => ({
  allowed: [...sessions, 'api-token', 'api-token-without-scope', 'automation-token'],
});
/** Connectors ingest, and automation runs endpoints and manages tasks, by the scopes that they have when they are given none. */
const ingesting = (...sessions: readonly CallerKind[]): AccessRow => ({
  allowed: [...sessions, 'api-token', 'connector-token'],
});
const automating = (...sessions: readonly CallerKind[]): AccessRow => ({
  allowed: [...sessions, 'api-token', 'automation-token'],
});
const running = { allowed: [...SIGNED_IN, 'api-token', 'automation-token'] } as const;
/** A team that the guest is not in. */
const team = { allowed: MEMBERS, hidden: ['guest'] } as const;
const teamWrite = { allowed: ['team-administrator', ...WRITERS], hidden: ['guest'] } as const;

/**
 * Who may call what, written down once more beside the operations' own `auth`, `scope` and `tokens`: two sources that a test
 * compares by calling every operation as every kind of caller. It says what becomes of a call on what belongs to others.
 */
export const accessTable: Readonly<Record<string, AccessRow>> = {
  createLogin: ANYBODY,
  checkLogin: session,
  changePassword: session,
  resetPassword: ANYBODY,
  completePasswordReset: ANYBODY,
  endSession: session,

  listUsers: session,
  createUser: write,
  /** Of somebody else. */
  getUser: read,
  updateUser: write,
  deactivateUser: write,
  createPasswordResetLink: write,

  listGroups: session,
  createGroup: write,
  getGroup: team,
  updateGroup: teamWrite,
  deleteGroup: teamWrite,
  setGroupUsers: teamWrite,
  listGroupUsers: team,

  listAudit: read,
  getTypeAccess: read,
  putTypeAccess: write,
  explainAccess: read,
  /** Of a node that everybody sees and somebody else owns. */
  getNodeAccess: read,
  putNodeAccess: write,
  resolvePrincipals: withScope(...ADMINISTRATORS),
  getWorkspaceSettings: read,
  putWorkspaceSettings: write,
  listInterfaces: read,
  putInterface: { allowed: [...WRITERS, 'interface-token'] },
  deleteInterface: write,
  exportDefinitions: read,
  importDefinitions: write,

  getApiDocument: {
    allowed: [
      ...SIGNED_IN,
      'api-token',
      'api-token-without-scope',
      'endpoint-token',
      'endpoint-token-of-another-path',
    ],
  },
  listTokens: read,
  createToken: write,
  revokeToken: write,

  getSchema: ingesting(...ADMINISTRATORS),
  putSchema: ingesting(...WRITERS),
  ingest: ingesting(...WRITERS),

  getNode: withScope(...SIGNED_IN),
  getNodeHistory: withScope(...SIGNED_IN),
  queryNodes: withScope(...SIGNED_IN),
  getManyNodes: withScope(...SIGNED_IN),
  getManyFields: withScope(...SIGNED_IN),
  downloadCsv: withScope(...SIGNED_IN),
  downloadJsonl: withScope(...SIGNED_IN),
  downloadZip: withScope(...SIGNED_IN),
  downloadSyntheticCsv: noGuests,
  downloadSyntheticJsonl: noGuests,

  listNodeFiles: withScope(...SIGNED_IN),
  uploadNodeFile: ingesting(...WRITERS),
  getFile: withScope(...SIGNED_IN),
  downloadFile: withScope(...SIGNED_IN),
  deleteFile: ingesting(...WRITERS),
  createFileUpload: ingesting(...WRITERS),
  // Of an upload that is not theirs: 404 to whoever may call it.
  getFileUpload: ingesting(...WRITERS),
  appendFileUpload: ingesting(...WRITERS),
  deleteFileUpload: ingesting(...WRITERS),

  createEndpoint: write,
  listEndpoints: read,
  getEndpoint: read,
  putEndpoint: write,
  deleteEndpoint: write,
  checkEndpoint: read,
  runEndpoint: running,
  runEndpointAlias: running,
  runEndpointWithToken: {
    allowed: ['endpoint-token'],
    hidden: ['endpoint-token-of-another-path'],
  },
  // Of a run that is not theirs: 404 to whoever may call it.
  cancelRun: running,
  cancelRunAlias: running,
  cancelRunWithToken: {
    allowed: ['endpoint-token'],
    hidden: ['endpoint-token-of-another-path'],
  },

  getCompileStatus: read,
  getBuildCatalog: read,
  getBuildTypes: withScope(...ADMINISTRATORS),
  listCodeHistory: read,
  listItemHistory: read,
  getCodeVersion: read,
  diffCode: read,
  restoreCode: write,
  compareCode: read,
  listRecordedInputs: read,
  recordInputs: write,
  listEndpointLogs: read,
  watchEndpointLogs: read,
  getEndpointMetrics: read,
  getDatabaseStatistics: read,
  getPoolStatistics: read,
  getOverviewStatistics: read,
  getLicense: read,
  listJobs: jobsOf(...SIGNED_IN),
  /** Of somebody else, as the next two. */
  getJob: jobsOf(...ADMINISTRATORS),
  cancelJob: jobsOf(...WRITERS),
  watchJob: jobsOf(...ADMINISTRATORS),
  runBackup: backingUp(...WRITERS),
  listBackups: backingUp(...ADMINISTRATORS),
  verifyBackup: backingUp(...WRITERS),
  deleteBackup: backingUp(...WRITERS),
  listTasks: automating(...ADMINISTRATORS),
  listBuiltInTasks: automating(...ADMINISTRATORS),
  createTask: automating(...WRITERS),
  checkTaskSchedule: automating(...ADMINISTRATORS),
  getTask: automating(...ADMINISTRATORS),
  putTask: automating(...WRITERS),
  deleteTask: automating(...WRITERS),
  runTask: automating(...WRITERS),
  enableTask: automating(...WRITERS),
  disableTask: automating(...WRITERS),
  listTaskRuns: automating(...ADMINISTRATORS),
  listMigrations: read,
  createMigration: write,
  runMigrations: write,
  cancelMigration: write,
  resetMigrationStatus: write,
  getMigration: read,
  putMigration: write,
  deleteMigration: write,
  runMigration: write,
  listLogFiles: read,
  downloadLogs: read,
  searchLogs: read,
  watchLogs: read,

  listGoldenSets: read,
  getGoldenSet: read,
  putGoldenSet: write,
  deleteGoldenSet: write,
  runGoldenSet: write,
  listGoldenSetRuns: read,

  getSearchSettings: read,
  putSearchSettings: write,
  getSearchIndex: read,
  listSynonyms: { allowed: ['synonym-manager', ...ADMINISTRATORS] },
  getSynonyms: { allowed: ['synonym-manager', ...ADMINISTRATORS] },
  putSynonyms: { allowed: ['synonym-manager', ...WRITERS] },

  getEmbeddings: withScope(...SIGNED_IN),
  getSimilarNodes: withScope(...SIGNED_IN),
  findSimilarNodes: withScope(...SIGNED_IN),

  listTools: read,
  createTool: write,
  putTool: write,
  deleteTool: write,
  getToolMetrics: read,
  listAgents: noGuests,
  createAgent: write,
  getAgent: read,
  putAgent: write,
  deleteAgent: write,
  runAgent: noGuests,
  listAgentRuns: noGuests,
  // Of a run that is not theirs: 404 to whoever may call it.
  getAgentRun: noGuests,
  cancelAgentRun: noGuests,
  sendChatMessage: noGuests,
  getChatOptions: noGuests,
  createChat: noGuests,
  listChats: noGuests,
  // Of a chat that is not theirs: 404 to whoever may call it.
  getChat: noGuests,
  putChat: noGuests,
  deleteChat: noGuests,
  stopChat: noGuests,
  putChatFeedback: noGuests,
  startDeepResearch: noGuests,
  getDeepResearch: noGuests,
  getResearchSettings: read,
  putResearchSettings: write,
  cancelDeepResearch: write,
  getLlmSearchSettings: read,
  putLlmSearchSettings: write,
  callMcp: { allowed: [...SIGNED_IN, 'mcp-token'] },
  getAiProviders: read,
  putAiProviders: write,

  createAdminAgentSession: write,
  listAdminAgentSessions: read,
  // Of somebody else's: 404 to whoever may call it.
  getAdminAgentSession: read,
  deleteAdminAgentSession: write,
  sendAdminAgentMessage: write,
  uploadAdminAgentFile: write,
  approveAdminAgentCommit: write,
  rejectAdminAgentCommit: write,

  createChatCompletion: { allowed: ['llm-openai-token'] },
  listOpenAiModels: { allowed: ['llm-openai-token'] },
  createEmbeddings: { allowed: ['llm-openai-token'] },
  createMessage: { allowed: ['llm-anthropic-token'] },
  listAnthropicModels: { allowed: ['llm-anthropic-token'] },
  listLlmUsage: session,
  getLlmState: read,

  getSsoConfig: read,
  setSsoConfig: write,
  getLoginUrl: ANYBODY,
  completeLogin: ANYBODY,
  getSamlConfig: read,
  setSamlConfig: write,
  createSamlRequest: ANYBODY,
  consumeSamlResponse: ANYBODY,
  getSamlMetadata: ANYBODY,
  listLoginProviders: ANYBODY,
  exchangeLogin: ANYBODY,

  getReady: ANYBODY,
  getAvailableStatus: ANYBODY,
  getHealth: ANYBODY,
  getReplicaHealth: ANYBODY,
  getReplicaRole: read,
  listReplicas: read,
  verifyReplicas: read,
  // Whoever has the key of the workspace; what is asked of callers is nothing.
  registerReplica: ANYBODY,
};
