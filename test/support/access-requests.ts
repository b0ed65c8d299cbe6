import type { AccessRequests } from './access-request.ts';
import { ASSISTANT_ACCESS_REQUESTS } from './assistant-access-requests.ts';
import { TASK_ACCESS_REQUESTS } from './task-access-requests.ts';

export interface AccessRequest {
  readonly path: string;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

const code = 'export default async function () {\n  return 1;\n}\n';
const NOBODY = '1111111111111111111111';

/** A request for each operation that nothing but the caller can make fail for good; `times` makes names of their own. */
export const ACCESS_REQUESTS: AccessRequests = {
  createLogin: () => ({
    path: '/api/login/create',
    body: { user: 'bystander', password: 'correct horse battery' },
  }),
  checkLogin: () => ({ path: '/api/login/check' }),
  // The right old password and a new one that is too short: nothing changes.
  changePassword: () => ({
    path: '/api/login/password/change',
    body: { oldPassword: 'correct horse battery', newPassword: 'short' },
  }),
  resetPassword: () => ({ path: '/api/login/password/reset', body: { email: 'x@example.com' } }),
  completePasswordReset: () => ({
    path: '/api/login/password/reset/complete',
    body: { token: 'x', newPassword: 'correct horse battery' },
  }),
  endSession: () => ({ path: '/api/login/end' }),
  listUsers: () => ({ path: '/api/users' }),
  createUser: (_scene, times) => ({
    path: '/api/users',
    body: { userName: `new-${times}`, email: `new-${times}@example.com` },
  }),
  getUser: ({ uids }) => ({ path: `/api/users/user/${uids.bystander}` }),
  updateUser: ({ uids }) => ({
    path: `/api/users/user/${uids.bystander}`,
    body: { firstName: 'By' },
  }),
  deactivateUser: ({ uids }) => ({ path: `/api/users/user/${uids.leaver}/deactivate` }),
  createPasswordResetLink: ({ uids }) => ({
    path: `/api/users/user/${uids.bystander}/password-reset`,
  }),
  listGroups: () => ({ path: '/api/groups' }),
  createGroup: (_scene, times) => ({ path: '/api/groups/group', body: { name: `team ${times}` } }),
  getGroup: ({ uids }) => ({ path: `/api/groups/group/${uids.team}` }),
  updateGroup: ({ uids }) => ({
    path: `/api/groups/group/${uids.team}`,
    body: { description: 'ours' },
  }),
  // Nobody can delete it while a node is restricted to it: 409 is an answer to those who may.
  deleteGroup: ({ uids }) => ({ path: `/api/groups/group/${uids.team}/delete` }),
  setGroupUsers: ({ uids }) => ({ path: `/api/groups/group/${uids.team}/users`, body: {} }),
  listGroupUsers: ({ uids }) => ({ path: `/api/groups/group/${uids.team}/users` }),
  listAudit: () => ({ path: '/api/audit' }),
  getTypeAccess: () => ({ path: '/api/access/types' }),
  putTypeAccess: () => ({ path: '/api/access/types', body: { types: {} } }),
  explainAccess: ({ uids }) => ({
    path: `/api/access/explain?user=${uids.bystander}&node=${uids.node}`,
  }),
  getNodeAccess: ({ uids }) => ({ path: `/api/access/nodes/${uids.node}` }),
  putNodeAccess: ({ uids }) => ({ path: `/api/access/nodes/${uids.node}`, body: {} }),
  resolvePrincipals: () => ({ path: '/api/access/principals', body: { users: ['bystander'] } }),
  getWorkspaceSettings: () => ({ path: '/api/workspace/settings' }),
  putWorkspaceSettings: () => ({ path: '/api/workspace/settings', body: { name: 'Ours' } }),
  listInterfaces: () => ({ path: '/api/interfaces' }),
  // No zip: 415 is an answer to those who may.
  putInterface: () => ({ path: '/api/interfaces/ours', body: {} }),
  deleteInterface: () => ({ path: '/api/interfaces/none' }),
  getApiDocument: () => ({ path: '/api/openapi.json' }),
  exportDefinitions: () => ({ path: '/api/graph/export-definitions' }),
  // No zip: 400 is an answer to those who may.
  importDefinitions: () => ({ path: '/api/graph/import-definitions', body: {} }),
  listTokens: () => ({ path: '/api/tokens' }),
  createToken: () => ({ path: '/api/tokens', body: { kind: 'interface', name: 'one more' } }),
  revokeToken: async (scene) => ({ path: `/api/tokens/${await scene.spareToken()}` }),
  getSchema: () => ({ path: '/api/schema' }),
  putSchema: () => ({ path: '/api/schema', body: { nodes: [], edges: [] } }),
  ingest: () => ({
    path: '/api/ingest',
    body: { operations: [{ op: 'tryAdd', type: 'Note', key: 'n' }] },
  }),
  getNode: ({ uids }) => ({ path: `/api/node/${uids.node}` }),
  getNodeHistory: ({ uids }) => ({ path: `/api/node/${uids.node}/history` }),
  queryNodes: () => ({ path: '/api/node/query', body: { type: 'Note' } }),
  getManyNodes: ({ uids }) => ({ path: '/api/node/many/full', body: { uids: [uids.node] } }),
  getManyFields: ({ uids }) => ({
    path: '/api/node/many/field',
    body: { uids: [uids.node], field: 'Text' },
  }),
  downloadCsv: () => ({ path: '/api/node/download/csv', body: { type: 'Note' } }),
  downloadJsonl: () => ({ path: '/api/node/download/jsonl', body: { type: 'Note' } }),
  downloadZip: () => ({ path: '/api/node/download/zip', body: { type: 'Note' } }),
  downloadSyntheticCsv: () => ({
    path: '/api/node/download/synthetic/csv',
    body: { nodes: [{ a: 1 }] },
  }),
  downloadSyntheticJsonl: () => ({
    path: '/api/node/download/synthetic/jsonl',
    body: { nodes: [{ a: 1 }] },
  }),
  listNodeFiles: ({ uids }) => ({ path: `/api/node/${uids.node}/files` }),
  // No form: 415 is an answer to those who may.
  uploadNodeFile: ({ uids }) => ({ path: `/api/node/${uids.node}/files`, body: {} }),
  getFile: ({ uids }) => ({ path: `/api/files/${uids.file}` }),
  downloadFile: ({ uids }) => ({ path: `/api/files/${uids.file}/content` }),
  // Of a file, and of uploads, that there are not: 404 is an answer to those who may.
  deleteFile: () => ({ path: `/api/files/${NOBODY}` }),
  createFileUpload: ({ uids }, times) => ({
    path: `/api/node/${uids.node}/uploads`,
    body: { name: `${times}.txt`, size: 3 },
  }),
  getFileUpload: () => ({ path: '/api/uploads/none' }),
  appendFileUpload: () => ({ path: '/api/uploads/none', body: {} }),
  deleteFileUpload: () => ({ path: '/api/uploads/none' }),
  createEndpoint: (_scene, times) => ({
    path: '/api/endpoints/create',
    body: { name: `made/${times}`, code },
  }),
  listEndpoints: () => ({ path: '/api/endpoints' }),
  getEndpoint: () => ({ path: '/api/endpoints/ours/echo' }),
  putEndpoint: () => ({ path: '/api/endpoints/ours/spare', body: { description: 'spare' } }),
  deleteEndpoint: () => ({ path: '/api/endpoints/ours/spare' }),
  checkEndpoint: () => ({ path: '/api/endpoints/check', body: { code } }),
  runEndpoint: () => ({ path: '/api/endpoints/run/ours/echo', body: {} }),
  runEndpointAlias: () => ({ path: '/api/cce/ours/echo', body: {} }),
  runEndpointWithToken: () => ({ path: '/api/endpoints/token/run/ours/echo', body: {} }),
  cancelRun: () => ({ path: '/api/endpoints/run/ours/echo' }),
  cancelRunAlias: () => ({ path: '/api/cce/ours/echo' }),
  cancelRunWithToken: () => ({ path: '/api/endpoints/token/run/ours/echo' }),
  getCompileStatus: () => ({ path: '/api/build/compile-status' }),
  getBuildCatalog: () => ({ path: '/api/build/catalog' }),
  getBuildTypes: () => ({ path: '/api/build/types' }),
  listCodeHistory: () => ({ path: '/api/code/history/all' }),
  listItemHistory: () => ({ path: '/api/code/history/item/endpoint/ours/echo' }),
  getCodeVersion: () => ({ path: '/api/code/history/version/endpoint/ours/echo?version=1' }),
  diffCode: () => ({ path: '/api/code/history/diff/endpoint/ours/echo' }),
  restoreCode: () => ({
    path: '/api/code/history/restore/endpoint/ours/echo',
    body: { version: 1 },
  }),
  compareCode: () => ({
    path: '/api/code/history/compare/endpoint/ours/echo',
    body: { version: 1 },
  }),
  listRecordedInputs: () => ({ path: '/api/code/history/inputs/endpoint/ours/echo' }),
  recordInputs: () => ({ path: '/api/code/history/inputs/endpoint/ours/echo', body: { keep: 1 } }),
  listEndpointLogs: () => ({ path: '/api/endpoints/logs' }),
  // A time that has passed ends the stream.
  watchEndpointLogs: () => ({ path: '/api/endpoints/logs/live?to=2026-01-01T00:00:00Z' }),
  getEndpointMetrics: () => ({ path: '/api/endpoints/metrics' }),
  getEmbeddings: ({ uids }) => ({ path: '/api/embeddings/uids', body: { UIDs: [uids.node] } }),
  getSimilarNodes: ({ uids }) => ({ path: `/api/embeddings/similar/${uids.node}` }),
  findSimilarNodes: ({ uids }) => ({ path: `/api/embeddings/similar/${uids.node}` }),
  ...ASSISTANT_ACCESS_REQUESTS,
  getSearchSettings: () => ({ path: '/api/search/settings' }),
  putSearchSettings: () => ({ path: '/api/search/settings', body: { types: {} } }),
  getSearchIndex: () => ({ path: '/api/search/index' }),
  listSynonyms: () => ({ path: '/api/search/synonyms/list/for?lang=en' }),
  getSynonyms: () => ({ path: '/api/search/synonyms/for?token=car&lang=en' }),
  putSynonyms: () => ({
    path: '/api/search/synonyms/for?token=car&lang=en',
    body: { Synonyms: ['vehicle'], Alternates: [], Blocked: [] },
  }),
  getDatabaseStatistics: () => ({ path: '/api/graph/stats/database' }),
  getPoolStatistics: () => ({ path: '/api/graph/stats/pool' }),
  getOverviewStatistics: () => ({ path: '/api/graph/stats/overview' }),
  getLicense: () => ({ path: '/api/license' }),
  ...TASK_ACCESS_REQUESTS,
  listJobs: () => ({ path: '/api/jobs' }),
  getJob: () => ({ path: '/api/jobs/none' }),
  cancelJob: () => ({ path: '/api/jobs/none/cancel' }),
  // Without a target, and of none: both are answers to those who may.
  runBackup: () => ({ path: '/api/admin/backup/run' }),
  listBackups: () => ({ path: '/api/admin/backups' }),
  verifyBackup: () => ({ path: '/api/admin/backups/none/verify' }),
  deleteBackup: () => ({ path: '/api/admin/backups/none' }),
  listLogFiles: () => ({ path: '/api/graph/logs-files' }),
  downloadLogs: () => ({ path: '/api/graph/logs-files/download' }),
  searchLogs: () => ({ path: '/api/graph/logs' }),
  watchLogs: () => ({ path: '/api/graph/logs/live?to=2020-01-01T00:00:00Z' }),
  watchJob: () => ({ path: '/api/jobs/none/events' }),
  listGoldenSets: () => ({ path: '/api/search/golden-sets' }),
  // There is none of this name: 404 is an answer to those who may.
  getGoldenSet: () => ({ path: '/api/search/golden-sets/none' }),
  putGoldenSet: () => ({
    path: '/api/search/golden-sets/questions',
    body: { queries: [{ query: 'note', relevant: [NOBODY] }] },
  }),
  deleteGoldenSet: () => ({ path: '/api/search/golden-sets/none' }),
  runGoldenSet: () => ({ path: '/api/search/golden-sets/none/run' }),
  listGoldenSetRuns: () => ({ path: '/api/search/golden-sets/none/runs' }),
  // There is no provider: 409 is an answer to those who may.
  createChatCompletion: () => ({
    path: '/api/llm/openai/v1/chat/completions',
    body: { model: 'm', messages: [{ role: 'user', content: 'Hello' }] },
  }),
  listOpenAiModels: () => ({ path: '/api/llm/openai/v1/models' }),
  createEmbeddings: () => ({
    path: '/api/llm/openai/v1/embeddings',
    body: { model: 'm', input: 'Hello' },
  }),
  createMessage: () => ({
    path: '/api/llm/anthropic/v1/messages',
    body: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] },
  }),
  listAnthropicModels: () => ({ path: '/api/llm/anthropic/v1/models' }),
  listLlmUsage: () => ({ path: '/api/llm/usage' }),
  getLlmState: () => ({ path: '/api/llm/state' }),
  getSsoConfig: () => ({ path: '/api/oktasso/config' }),
  setSsoConfig: () => ({ path: '/api/oktasso/config', body: { enabled: false } }),
  getLoginUrl: () => ({ path: '/api/oktasso/get-login-url' }),
  completeLogin: () => ({ path: '/api/oktasso/completed-login-attempt?state=x&code=y' }),
  getSamlConfig: () => ({ path: '/api/saml/config' }),
  setSamlConfig: () => ({ path: '/api/saml/config', body: { providers: {} } }),
  createSamlRequest: () => ({ path: '/api/saml/createrequest/ours/issuer/%2F' }),
  consumeSamlResponse: () => ({ path: '/api/saml/acs', form: { SAMLResponse: 'PHg+' } }),
  getSamlMetadata: () => ({ path: '/api/saml/metadata' }),
  listLoginProviders: () => ({ path: '/api/login/providers' }),
  exchangeLogin: () => ({ path: '/api/login/exchange', body: { code: NOBODY } }),
  getReady: () => ({ path: '/api/graph/ready' }),
  getAvailableStatus: () => ({ path: '/api/available-status' }),
  getHealth: () => ({ path: '/health' }),
  getReplicaHealth: () => ({ path: '/health/replica' }),
  getReplicaRole: () => ({ path: '/api/graph/replica' }),
  listReplicas: () => ({ path: '/api/replicas' }),
  verifyReplicas: () => ({ path: '/api/replicas/verify' }),
  registerReplica: () => ({
    path: '/api/replicas/register',
    body: {
      replicaUID: NOBODY,
      publicAddress: 'http://127.0.0.1:1',
      serverAddress: 'http://127.0.0.1:1',
      epoch: '',
      sequence: 0,
      version: '1',
      time: 0,
      masterKeyProof: '0'.repeat(64),
      nonce: '0'.repeat(64),
      proof: '0'.repeat(64),
    },
  }),
};
