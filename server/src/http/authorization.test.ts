import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { errorBody, routerErrorBody } from '@trellis/contract/errors.ts';
import { operations } from '@trellis/contract/operations.ts';
import { must } from '#base/assert.ts';
import { isRouterOperation } from './error-answer.ts';
import { CALLERS, type CallerName } from './testing/memory-callers.ts';
import { optionsOf, SAMPLE_REQUESTS } from './testing/sample-requests.ts';
import { startTestServer, type TestServer } from './testing/test-server.ts';

/** Who may call what, as the specification (section 4) and open-shapes say it. */
const SESSIONS: readonly CallerName[] = [
  'admin',
  'read-only-admin',
  'user',
  'synonym-manager',
  'guest',
];
const MEMBERS = SESSIONS.filter((name) => name !== 'guest');
const CHAT_OPERATIONS =
  'sendChatMessage getChatOptions createChat listChats getChat putChat deleteChat stopChat putChatFeedback';
const NODE_READS =
  'getNode getNodeHistory queryNodes getManyNodes getManyFields downloadCsv downloadJsonl downloadZip listNodeFiles getFile downloadFile';
const FILE_WRITES =
  'uploadNodeFile deleteFile createFileUpload getFileUpload appendFileUpload deleteFileUpload';
const INGESTING: readonly CallerName[] = ['ingestion-token', 'acl-token', 'connector-token'];
const rows = (ids: string, allowed: readonly CallerName[] | 'anybody') =>
  Object.fromEntries(ids.split(' ').map((id) => [id, allowed]));
const CALLER_NAMES = Object.keys(CALLERS) as CallerName[];
const API_TOKENS = CALLER_NAMES.filter((name) =>
  /^(ingestion|run|backup|tasks|read|bare)-token$/.test(name),
);
const ADMIN_AGENT_WRITES =
  'createAdminAgentSession deleteAdminAgentSession sendAdminAgentMessage ' +
  'uploadAdminAgentFile approveAdminAgentCommit rejectAdminAgentCommit';
const TASK_READS = 'listTasks listBuiltInTasks checkTaskSchedule getTask listTaskRuns';
const TASK_WRITES = 'createTask putTask deleteTask runTask enableTask disableTask';
const MIGRATION_WRITES =
  'createMigration putMigration deleteMigration runMigrations runMigration cancelMigration resetMigrationStatus';
const ALLOWED: Readonly<Record<string, readonly CallerName[] | 'anybody'>> = {
  createLogin: 'anybody',
  checkLogin: SESSIONS,
  changePassword: SESSIONS,
  resetPassword: 'anybody',
  completePasswordReset: 'anybody',
  endSession: SESSIONS,
  listUsers: SESSIONS,
  createUser: ['admin'],
  // What a session may do here further depends on whose it is: the services say.
  getUser: SESSIONS,
  updateUser: SESSIONS,
  deactivateUser: ['admin'],
  createPasswordResetLink: ['admin'],
  listGroups: SESSIONS,
  createGroup: SESSIONS,
  getGroup: SESSIONS,
  updateGroup: SESSIONS,
  deleteGroup: SESSIONS,
  setGroupUsers: SESSIONS,
  listGroupUsers: SESSIONS,
  listAudit: ['admin', 'read-only-admin'],
  getTypeAccess: ['admin', 'read-only-admin'],
  putTypeAccess: ['admin'],
  explainAccess: ['admin', 'read-only-admin'],
  getNodeAccess: SESSIONS,
  putNodeAccess: SESSIONS,
  resolvePrincipals: ['admin', 'read-only-admin', 'acl-token'],
  getWorkspaceSettings: ['admin', 'read-only-admin'],
  putWorkspaceSettings: ['admin'],
  listInterfaces: ['admin', 'read-only-admin'],
  putInterface: ['admin', 'interface-token'],
  deleteInterface: ['admin'],
  getApiDocument: [...SESSIONS, ...API_TOKENS, 'endpoint-token'],
  exportDefinitions: ['admin', 'read-only-admin'],
  importDefinitions: ['admin'],
  listTokens: ['admin', 'read-only-admin'],
  createToken: ['admin'],
  revokeToken: ['admin'],
  getSchema: ['admin', 'read-only-admin', ...INGESTING],
  putSchema: ['admin', ...INGESTING],
  ingest: ['admin', ...INGESTING],
  downloadSyntheticCsv: ['admin', 'read-only-admin', 'user', 'synonym-manager'],
  downloadSyntheticJsonl: ['admin', 'read-only-admin', 'user', 'synonym-manager'],
  ...rows(NODE_READS, [...SESSIONS, 'read-token']),
  ...rows(FILE_WRITES, ['admin', ...INGESTING]),
  createEndpoint: ['admin'],
  listEndpoints: ['admin', 'read-only-admin'],
  getEndpoint: ['admin', 'read-only-admin'],
  putEndpoint: ['admin'],
  deleteEndpoint: ['admin'],
  checkEndpoint: ['admin', 'read-only-admin'],
  runEndpoint: [...SESSIONS, 'run-token'],
  runEndpointAlias: [...SESSIONS, 'run-token'],
  runEndpointWithToken: ['endpoint-token'],
  cancelRun: [...SESSIONS, 'run-token'],
  cancelRunAlias: [...SESSIONS, 'run-token'],
  cancelRunWithToken: ['endpoint-token'],
  getCompileStatus: ['admin', 'read-only-admin'],
  getBuildCatalog: ['admin', 'read-only-admin'],
  getBuildTypes: ['admin', 'read-only-admin', 'read-token'],
  listCodeHistory: ['admin', 'read-only-admin'],
  listItemHistory: ['admin', 'read-only-admin'],
  getCodeVersion: ['admin', 'read-only-admin'],
  diffCode: ['admin', 'read-only-admin'],
  restoreCode: ['admin'],
  compareCode: ['admin', 'read-only-admin'],
  listRecordedInputs: ['admin', 'read-only-admin'],
  recordInputs: ['admin'],
  listEndpointLogs: ['admin', 'read-only-admin'],
  watchEndpointLogs: ['admin', 'read-only-admin'],
  getEndpointMetrics: ['admin', 'read-only-admin'],
  getDatabaseStatistics: ['admin', 'read-only-admin'],
  getPoolStatistics: ['admin', 'read-only-admin'],
  getOverviewStatistics: ['admin', 'read-only-admin'],
  getLicense: ['admin', 'read-only-admin'],
  ...rows(TASK_READS, ['admin', 'read-only-admin', 'tasks-token']),
  ...rows(TASK_WRITES, ['admin', 'tasks-token']),
  ...rows('listMigrations getMigration', ['admin', 'read-only-admin']),
  ...rows(MIGRATION_WRITES, ['admin']),
  // Of which job it is, the service says who may.
  ...rows('listJobs getJob cancelJob watchJob', [...SESSIONS, 'backup-token', 'tasks-token']),
  runBackup: ['admin', 'backup-token'],
  listBackups: ['admin', 'read-only-admin', 'backup-token'],
  verifyBackup: ['admin', 'backup-token'],
  deleteBackup: ['admin', 'backup-token'],
  listLogFiles: ['admin', 'read-only-admin'],
  downloadLogs: ['admin', 'read-only-admin'],
  searchLogs: ['admin', 'read-only-admin'],
  watchLogs: ['admin', 'read-only-admin'],
  listGoldenSets: ['admin', 'read-only-admin'],
  getGoldenSet: ['admin', 'read-only-admin'],
  putGoldenSet: ['admin'],
  deleteGoldenSet: ['admin'],
  runGoldenSet: ['admin'],
  listGoldenSetRuns: ['admin', 'read-only-admin'],
  getSearchSettings: ['admin', 'read-only-admin'],
  putSearchSettings: ['admin'],
  getSearchIndex: ['admin', 'read-only-admin'],
  listSynonyms: ['admin', 'read-only-admin', 'synonym-manager'],
  getSynonyms: ['admin', 'read-only-admin', 'synonym-manager'],
  putSynonyms: ['admin', 'synonym-manager'],
  getEmbeddings: [...SESSIONS, 'read-token'],
  getSimilarNodes: [...SESSIONS, 'read-token'],
  findSimilarNodes: [...SESSIONS, 'read-token'],
  ...rows(CHAT_OPERATIONS, MEMBERS),
  ...rows('getEmbeddings getSimilarNodes findSimilarNodes', [...SESSIONS, 'read-token']),
  ...rows(CHAT_OPERATIONS, MEMBERS),
  listTools: ['admin', 'read-only-admin'],
  createTool: ['admin'],
  putTool: ['admin'],
  deleteTool: ['admin'],
  startDeepResearch: MEMBERS,
  getDeepResearch: MEMBERS,
  getResearchSettings: ['admin', 'read-only-admin'],
  putResearchSettings: ['admin'],
  cancelDeepResearch: ['admin'],
  getToolMetrics: ['admin', 'read-only-admin'],
  listAgents: MEMBERS,
  createAgent: ['admin'],
  getAgent: ['admin', 'read-only-admin'],
  putAgent: ['admin'],
  deleteAgent: ['admin'],
  runAgent: MEMBERS,
  listAgentRuns: MEMBERS,
  getAgentRun: MEMBERS,
  cancelAgentRun: MEMBERS,
  getLlmSearchSettings: ['admin', 'read-only-admin'],
  putLlmSearchSettings: ['admin'],
  callMcp: [...SESSIONS, 'mcp-token'],
  getAiProviders: ['admin', 'read-only-admin'],
  putAiProviders: ['admin'],
  ...rows(ADMIN_AGENT_WRITES, ['admin']),
  listAdminAgentSessions: ['admin', 'read-only-admin'],
  getAdminAgentSession: ['admin', 'read-only-admin'],
  createChatCompletion: ['llm-openai-token'],
  listOpenAiModels: ['llm-openai-token'],
  createEmbeddings: ['llm-openai-token'],
  createMessage: ['llm-anthropic-token'],
  listAnthropicModels: ['llm-anthropic-token'],
  ...rows('getSsoConfig getSamlConfig getLlmState', ['admin', 'read-only-admin']),
  listLlmUsage: SESSIONS,
  setSsoConfig: ['admin'],
  getLoginUrl: 'anybody',
  completeLogin: 'anybody',
  setSamlConfig: ['admin'],
  createSamlRequest: 'anybody',
  consumeSamlResponse: 'anybody',
  getSamlMetadata: 'anybody',
  listLoginProviders: 'anybody',
  exchangeLogin: 'anybody',
  ...rows('getReady getAvailableStatus getHealth getReplicaHealth', 'anybody'),
  getReplicaRole: ['admin', 'read-only-admin'],
  listReplicas: ['admin', 'read-only-admin'],
  verifyReplicas: ['admin', 'read-only-admin'],
  ...rows('getReady getAvailableStatus getHealth getReplicaHealth', 'anybody'),
  ...rows('getReplicaRole listReplicas verifyReplicas', ['admin', 'read-only-admin']),
  registerReplica: 'anybody',
};

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer();
});
afterAll(() => at.server.close());
beforeEach(async () => {
  const { services } = at;
  const endpoint = { name: 'words/lookup', code: 'x' };
  if (!services.endpointsByName.has(endpoint.name)) {
    await services.endpoints.create(CALLERS.admin, endpoint);
  }
});

const cases = operations.flatMap((operation) =>
  [undefined, ...CALLER_NAMES].map((as) => [operation.id, as ?? 'nobody', operation, as] as const),
);

describe('operations by callers', () => {
  it.each(cases)('%s by %s', async (id, _, operation, as) => {
    const sample = must(SAMPLE_REQUESTS[id], `a sample request of ${id}`);
    const allowed = must(ALLOWED[id], `who may call ${id}`);
    const response = await at.request(operation.method, sample.path, optionsOf(sample, as));
    if (allowed === 'anybody' || (as !== undefined && allowed.includes(as))) {
      expect(response.status).toBe(sample.status);
      const shape = must(operation.responses[sample.status], 'the shape of the answer');
      const { body, contentType = 'application/json' } = shape;
      if (contentType !== 'application/json') {
        expect(response.headers.get('content-type')).toContain(contentType);
      } else if (body === undefined) expect(response.text).toBe('');
      else expect(body.safeParse(response.json ?? response.text)).toMatchObject({ success: true });
      return;
    }
    const { error } = (isRouterOperation(operation) ? routerErrorBody : errorBody).parse(
      response.json,
    );
    if (as === undefined) {
      expect([response.status, error.code]).toEqual([401, 'missing_token']);
      return;
    }
    expect([response.status, error.code]).toEqual([403, 'forbidden']);
    const { auth, role, scope, tokens, noGuests } = operation;
    expect(error.details).toEqual(
      Object.fromEntries(
        Object.entries({
          role: auth === 'token' ? undefined : (role ?? auth),
          scope,
          tokens,
          noGuests,
        }).filter(([, needed]) => needed !== undefined),
      ),
    );
  });
});
