import type { RequestOptions } from './test-server.ts';

export interface SampleRequest {
  readonly path: string;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  /** Of a success. */
  readonly status: number;
}

const UID = '1111111111111111111111';

/** One good request for every operation of the contract. */
export const SAMPLE_REQUESTS: Readonly<Record<string, SampleRequest>> = {
  createLogin: {
    path: '/api/login/create',
    json: { user: 'ada', password: 'correct horse' },
    status: 200,
  },
  checkLogin: { path: '/api/login/check', status: 200 },
  changePassword: {
    path: '/api/login/password/change',
    json: { oldPassword: 'correct horse', newPassword: 'battery staple' },
    status: 204,
  },
  resetPassword: {
    path: '/api/login/password/reset',
    json: { email: 'ada@example.com' },
    status: 202,
  },
  completePasswordReset: {
    path: '/api/login/password/reset/complete',
    json: { token: 'r', newPassword: 'battery staple' },
    status: 204,
  },
  endSession: { path: '/api/login/end', status: 204 },
  listTokens: { path: '/api/tokens?kind=api', status: 200 },
  createToken: {
    path: '/api/tokens',
    json: { kind: 'api', name: 'nightly import', scopes: ['ingestion'] },
    status: 201,
  },
  revokeToken: { path: '/api/tokens/0', status: 204 },
  getSchema: { path: '/api/schema', status: 200 },
  putSchema: {
    path: '/api/schema',
    json: { nodes: [{ type: 'Word', key: 'lemma', fields: { lemma: 'String' } }], edges: [] },
    status: 200,
  },
  ingest: {
    path: '/api/ingest',
    json: { operations: [{ op: 'tryAdd', type: 'Word', key: 'dog' }] },
    status: 200,
  },
  getNode: { path: `/api/node/${UID}`, status: 200 },
  queryNodes: { path: '/api/node/query', json: { type: 'Word', take: 10 }, status: 200 },
  getManyNodes: { path: '/api/node/many/full', json: { uids: [UID] }, status: 200 },
  getManyFields: {
    path: '/api/node/many/field',
    json: { uids: [UID], template: '{Id}' },
    status: 200,
  },
  downloadCsv: { path: '/api/node/download/csv', json: { uids: [UID] }, status: 200 },
  downloadJsonl: { path: '/api/node/download/jsonl', json: { type: 'Word' }, status: 200 },
  downloadZip: { path: '/api/node/download/zip', json: { type: 'Word' }, status: 200 },
  downloadSyntheticCsv: {
    path: '/api/node/download/synthetic/csv',
    json: { nodes: [{ Name: 'dog' }] },
    status: 200,
  },
  downloadSyntheticJsonl: {
    path: '/api/node/download/synthetic/jsonl',
    json: { nodes: [{ Name: 'dog' }] },
    status: 200,
  },
  createEndpoint: {
    path: '/api/endpoints/create',
    json: { name: 'words/lookup', code: 'export default () => 1;' },
    status: 201,
  },
  listEndpoints: { path: '/api/endpoints?skip=0&take=10', status: 200 },
  getEndpoint: { path: '/api/endpoints/words/lookup', status: 200 },
  putEndpoint: { path: '/api/endpoints/words/lookup', json: { cacheSeconds: 5 }, status: 200 },
  deleteEndpoint: { path: '/api/endpoints/words/lookup', status: 204 },
  checkEndpoint: { path: '/api/endpoints/check', json: { code: 'x' }, status: 200 },
  runEndpoint: { path: '/api/endpoints/run/words/lookup', json: { word: 'dog' }, status: 200 },
  runEndpointAlias: { path: '/api/cce/words/lookup', json: { word: 'dog' }, status: 200 },
  runEndpointWithToken: {
    path: '/api/endpoints/token/run/words/lookup',
    json: { word: 'dog' },
    status: 200,
  },
  cancelRun: { path: '/api/endpoints/run/words/lookup', status: 204 },
  cancelRunAlias: { path: '/api/cce/words/lookup', status: 204 },
  cancelRunWithToken: { path: '/api/endpoints/token/run/words/lookup', status: 204 },
  getCompileStatus: { path: '/api/build/compile-status', status: 200 },
  getBuildCatalog: { path: '/api/build/catalog', status: 200 },
  getBuildTypes: { path: '/api/build/types?scope=read-only', status: 200 },
  listCodeHistory: { path: '/api/code/history/all?from=2026-11-01T00:00:00Z&take=5', status: 200 },
  listItemHistory: { path: '/api/code/history/item/endpoint/words/lookup?take=5', status: 200 },
  getCodeVersion: {
    path: '/api/code/history/version/endpoint/words/lookup?version=1',
    status: 200,
  },
  diffCode: { path: '/api/code/history/diff/endpoint/words/lookup?from=1&to=2', status: 200 },
  restoreCode: {
    path: '/api/code/history/restore/endpoint/words/lookup',
    json: { version: 1, seen: 2 },
    status: 200,
  },
  compareCode: {
    path: '/api/code/history/compare/endpoint/words/lookup',
    json: { version: 1, with: 2, body: { word: 'dog' } },
    status: 200,
  },
  listRecordedInputs: { path: '/api/code/history/inputs/endpoint/words/lookup', status: 200 },
  recordInputs: {
    path: '/api/code/history/inputs/endpoint/words/lookup',
    json: { keep: 10 },
    status: 200,
  },
  listEndpointLogs: { path: '/api/endpoints/logs?endpoint=words/&level=warn&take=5', status: 200 },
  watchEndpointLogs: { path: '/api/endpoints/logs/live?query=x', status: 200 },
  getEndpointMetrics: { path: '/api/endpoints/metrics', status: 200 },
  getDatabaseStatistics: { path: '/api/graph/stats/database', status: 200 },
  getPoolStatistics: { path: '/api/graph/stats/pool', status: 200 },
  listGoldenSets: { path: '/api/search/golden-sets', status: 200 },
  getGoldenSet: { path: '/api/search/golden-sets/questions', status: 200 },
  putGoldenSet: {
    path: '/api/search/golden-sets/questions',
    json: { queries: [{ query: 'dog', relevant: [UID] }] },
    status: 200,
  },
  deleteGoldenSet: { path: '/api/search/golden-sets/questions', status: 204 },
  runGoldenSet: { path: '/api/search/golden-sets/questions/run', status: 200 },
  listGoldenSetRuns: { path: '/api/search/golden-sets/questions/runs', status: 200 },
  listUsers: { path: '/api/users?query=a', status: 200 },
  createUser: {
    path: '/api/users',
    json: { userName: 'bob', email: 'bob@example.com' },
    status: 201,
  },
  getUser: { path: `/api/users/user/${UID}`, status: 200 },
  updateUser: { path: `/api/users/user/${UID}`, json: { email: 'a@example.com' }, status: 200 },
  deactivateUser: { path: `/api/users/user/${UID}/deactivate`, status: 204 },
  createPasswordResetLink: { path: `/api/users/user/${UID}/password-reset`, status: 201 },
  listGroups: { path: '/api/groups', status: 200 },
  createGroup: { path: '/api/groups/group', json: { name: 'Sales' }, status: 201 },
  getGroup: { path: `/api/groups/group/${UID}`, status: 200 },
  updateGroup: { path: `/api/groups/group/${UID}`, json: { name: 'Sales' }, status: 200 },
  deleteGroup: { path: `/api/groups/group/${UID}/delete`, status: 204 },
  setGroupUsers: { path: `/api/groups/group/${UID}/users`, json: { add: [UID] }, status: 200 },
  listGroupUsers: { path: `/api/groups/group/${UID}/users?nested=true`, status: 200 },
  listAudit: { path: '/api/audit?action=login&outcome=failure', status: 200 },
  getTypeAccess: { path: '/api/access/types', status: 200 },
  putTypeAccess: { path: '/api/access/types', json: { types: {} }, status: 200 },
  explainAccess: { path: `/api/access/explain?user=ada&node=${UID}`, status: 200 },
  getNodeAccess: { path: `/api/access/nodes/${UID}`, status: 200 },
  putNodeAccess: { path: `/api/access/nodes/${UID}`, json: { users: [UID] }, status: 200 },
  getWorkspaceSettings: { path: '/api/workspace/settings', status: 200 },
  putWorkspaceSettings: { path: '/api/workspace/settings', json: { name: 'Ours' }, status: 200 },
  getEmbeddings: { path: '/api/embeddings/uids', json: { UIDs: [UID] }, status: 200 },
  getSimilarNodes: { path: `/api/embeddings/similar/${UID}?count=5&types=Word`, status: 200 },
  findSimilarNodes: { path: `/api/embeddings/similar/${UID}`, status: 200 },
  getAiProviders: { path: '/api/chatai/providers', status: 200 },
  putAiProviders: {
    path: '/api/chatai/providers',
    json: {
      embeddings: {
        provider: 'openai-compatible',
        baseUrl: 'https://models.example/v1',
        model: 'm',
        apiKey: 'sk-1',
      },
    },
    status: 200,
  },
  getSearchSettings: { path: '/api/search/settings', status: 200 },
  putSearchSettings: {
    path: '/api/search/settings',
    json: { types: { Word: { fields: { lemma: { text: { boost: 2 } } } } } },
    status: 200,
  },
  getSearchIndex: { path: '/api/search/index', status: 200 },
  listSynonyms: {
    path: '/api/search/synonyms/list/for?lang=en&query=c&includeSynonyms=1',
    status: 200,
  },
  getSynonyms: { path: '/api/search/synonyms/for?lang=en&token=car&tolerance=0.9', status: 200 },
  putSynonyms: {
    path: '/api/search/synonyms/for?lang=en&token=car&ignoreCase=true&replace=false',
    json: { Synonyms: ['vehicle'], Alternates: [], Blocked: [] },
    status: 200,
  },
  getSsoConfig: { path: '/api/oktasso/config', status: 200 },
  setSsoConfig: { path: '/api/oktasso/config', json: { enabled: false }, status: 200 },
  getLoginUrl: { path: '/api/oktasso/get-login-url?returnTo=/', status: 200 },
  completeLogin: { path: '/api/oktasso/completed-login-attempt?state=s&code=c', status: 303 },
  getSamlConfig: { path: '/api/saml/config', status: 200 },
  setSamlConfig: {
    path: '/api/saml/config',
    json: { providers: { corporate: null } },
    status: 200,
  },
  createSamlRequest: {
    path: '/api/saml/createrequest/corporate/https%3A%2F%2Ftrellis.example/%2F',
    status: 200,
  },
  consumeSamlResponse: {
    path: '/api/saml/acs',
    form: { SAMLResponse: 'PHg+', RelayState: 's' },
    status: 303,
  },
  getSamlMetadata: { path: '/api/saml/metadata', status: 200 },
  listLoginProviders: { path: '/api/login/providers', status: 200 },
  exchangeLogin: { path: '/api/login/exchange', json: { code: 'c' }, status: 200 },
  getReady: { path: '/api/graph/ready', status: 200 },
  getAvailableStatus: { path: '/api/available-status', status: 200 },
  getHealth: { path: '/health', status: 200 },
  getReplicaHealth: { path: '/health/replica', status: 200 },
  getReplicaRole: { path: '/api/graph/replica', status: 200 },
  listReplicas: { path: '/api/replicas', status: 200 },
  verifyReplicas: { path: '/api/replicas/verify', status: 200 },
  registerReplica: {
    path: '/api/replicas/register',
    json: {
      replicaUID: UID,
      publicAddress: 'https://replica.example.com',
      serverAddress: 'http://10.0.0.2:8080',
      epoch: '',
      sequence: 0,
      version: '26.11.0',
      time: 1_800_000_000_000,
      masterKeyProof: '0'.repeat(64),
      nonce: '0'.repeat(64),
      proof: '0'.repeat(64),
    },
    status: 200,
  },
};

export function optionsOf(
  { json, form }: SampleRequest,
  as?: RequestOptions['as'],
): RequestOptions {
  return {
    ...(json === undefined ? {} : { json }),
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    ...(as === undefined ? {} : { as }),
  };
}
