import { z } from 'zod';
import type { Operation } from '../operation.ts';
import type { OperationId, OperationOf } from '../operations.ts';

/** What the samples are about; a test makes them, or takes UIDs of nothing. */
export interface SampleThings {
  readonly uids: {
    readonly bystander: string;
    readonly leaver: string;
    readonly team: string;
    readonly node: string;
    /** A file of the node. */
    readonly file: string;
  };
  /** Makes a token to be revoked, which nobody uses, and answers its id. */
  spareToken(): Promise<string>;
}

export interface SampleRequest {
  readonly method: Operation['method'];
  readonly path: string;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

interface AnySample {
  readonly params?: Readonly<Partial<Record<string, string>>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

interface Sample<O extends Operation> extends AnySample {
  readonly params?: { readonly [K in ParameterOf<O>]?: string };
  readonly body?: BodyOf<O>;
}

type ParameterOf<O> = O extends { readonly params: infer P extends z.ZodObject }
  ? keyof z.input<P>
  : never;
/** A file is sent as what is none: the answer to that is enough to tell who may send one. */
type BodyOf<O> = O extends { readonly body: infer B extends z.ZodType }
  ? B extends z.ZodFile
    ? object
    : z.input<B>
  : undefined;

/** `times` makes names of their own. */
type Make<S> = S | ((things: SampleThings, times: number) => S | Promise<S>);

/** The operations that refuse a request without a body. */
type Demanding = {
  [Id in OperationId]: undefined extends BodyOf<OperationOf<Id>> ? never : Id;
}[OperationId];

type Samples = { readonly [Id in Demanding]: Make<Sample<OperationOf<Id>>> } & {
  readonly [Id in Exclude<OperationId, Demanding>]?: Make<Sample<OperationOf<Id>>>;
};

/** A UID, a name and an id of nothing: 404 is an answer to those who may call. */
const NOBODY = '1'.repeat(22);
const PROOF = '0'.repeat(64);
const CODE = 'export default async function () {\n  return 1;\n}\n';
const MODULE = 'export const price = 1;\n';

/**
 * Requests that fail for good only because of who calls: tests of access, of replicas and of
 * hostile requests send them. The contract gives method and path; an operation that needs neither a
 * body nor something that exists has no entry.
 */
const samples: Samples = {
  createLogin: { body: { user: 'bystander', password: 'correct horse battery' } },
  // The right old password and a new one that is too short: nothing changes.
  changePassword: { body: { oldPassword: 'correct horse battery', newPassword: 'short' } },
  resetPassword: { body: { email: 'x@example.com' } },
  completePasswordReset: { body: { token: 'x', newPassword: 'correct horse battery' } },
  createUser: (_things, times) => ({
    body: { userName: `new-${times}`, email: `new-${times}@example.com` },
  }),
  getUser: (things) => ({ params: { uid: things.uids.bystander } }),
  updateUser: (things) => ({ params: { uid: things.uids.bystander }, body: { firstName: 'By' } }),
  deactivateUser: (things) => ({ params: { uid: things.uids.leaver } }),
  createPasswordResetLink: (things) => ({ params: { uid: things.uids.bystander } }),
  createTeam: (_things, times) => ({ body: { name: `team ${times}` } }),
  getTeam: (things) => ({ params: { groupUID: things.uids.team } }),
  createScimUser: (_things, times) => ({ body: { userName: `scim-${times}@example.com` } }),
  replaceScimUser: { body: { userName: 'nobody' } },
  patchScimUser: { body: { Operations: [{ op: 'replace', path: 'active', value: true }] } },
  createScimGroup: (_things, times) => ({ body: { displayName: `scim ${times}` } }),
  replaceScimGroup: { body: { displayName: 'nobodies' } },
  patchScimGroup: { body: { Operations: [{ op: 'add', path: 'members', value: [] }] } },
  updateTeam: (things) => ({
    params: { groupUID: things.uids.team },
    body: { description: 'ours' },
  }),
  // Nobody can delete it while a node is restricted to it: 409 is an answer to those who may.
  deleteTeam: (things) => ({ params: { groupUID: things.uids.team } }),
  setTeamUsers: (things) => ({ params: { groupUID: things.uids.team }, body: {} }),
  listTeamUsers: (things) => ({ params: { groupUID: things.uids.team } }),
  putTypeAccess: { body: { types: {} } },
  explainAccess: (things) => ({ query: { user: things.uids.bystander, node: things.uids.node } }),
  getNodeAccess: (things) => ({ params: { uid: things.uids.node } }),
  putNodeAccess: (things) => ({ params: { uid: things.uids.node }, body: {} }),
  resolvePrincipals: { body: { users: ['bystander'] } },
  putWorkspaceSettings: { body: { name: 'Ours' } },
  // No zip: 415 is an answer to those who may.
  putInterface: { params: { name: 'ours' }, body: {} },
  // No zip: 400 is an answer to those who may.
  importDefinitions: { body: {} },
  createToken: { body: { kind: 'interface', name: 'one more' } },
  revokeToken: async (things) => ({ params: { id: await things.spareToken() } }),
  // There is no such index: 404 is an answer to those who may.
  deleteSchemaIndex: { body: { type: 'Note', field: 'Text' } },
  // There is no such alias: 404 is an answer to those who may.
  deleteSchemaAlias: { body: { type: 'Note', alias: 'Former' } },
  changeSchema: { body: { changes: [{ rename: { type: 'Note', to: 'Memo' } }], dryRun: true } },
  // There is no such change: 404 is an answer to those who may.
  undoSchemaChange: { params: { id: 'none' } },
  putSchema: { body: { nodes: [], edges: [] } },
  ingest: { body: { operations: [{ op: 'tryAdd', type: 'Note', key: 'n' }] } },
  getNode: (things) => ({ params: { uid: things.uids.node } }),
  getNodeHistory: (things) => ({ params: { uid: things.uids.node } }),
  getNodeRecord: (things) => ({ params: { uid: things.uids.node } }),
  findDuplicates: { body: { type: 'Note' } },
  // There is one node: 409 is an answer to those who may.
  mergeNodes: (things) => ({ body: { into: things.uids.node, node: things.uids.node } }),
  putDuplicateRule: { params: { type: 'Note' }, body: { minScore: 0.8 } },
  createNode: (_things, times) => ({ body: { type: 'Note', key: `new ${times}` } }),
  updateNode: (things) => ({ params: { uid: things.uids.node }, body: {} }),
  // Of another version: 409 is an answer to those who may.
  deleteNode: (things) => ({ params: { uid: things.uids.node }, query: { ifVersion: '999' } }),
  // There is no such edge type: 422 is an answer to those who may.
  changeNodeLinks: (things) => ({
    params: { uid: things.uids.node },
    body: { remove: [{ edge: 'NoSuchEdge', to: { uid: things.uids.node } }] },
  }),
  // There is no such version: 404 is an answer to those who may.
  restoreNode: (things) => ({ params: { uid: things.uids.node }, body: { version: 999 } }),
  changeManyNodes: (things) => ({
    body: { uids: [things.uids.node], change: { access: {} } },
  }),
  queryNodes: { body: { type: 'Note' } },
  getManyNodes: (things) => ({ body: { uids: [things.uids.node] } }),
  getManyFields: (things) => ({ body: { uids: [things.uids.node], field: 'Text' } }),
  downloadCsv: { body: { type: 'Note' } },
  downloadJsonl: { body: { type: 'Note' } },
  downloadZip: { body: { type: 'Note' } },
  downloadSyntheticCsv: { body: { nodes: [{ a: 1 }] } },
  downloadSyntheticJsonl: { body: { nodes: [{ a: 1 }] } },
  listNodeFiles: (things) => ({ params: { uid: things.uids.node } }),
  // No form: 415 is an answer to those who may.
  uploadNodeFile: (things) => ({ params: { uid: things.uids.node }, body: {} }),
  getFile: (things) => ({ params: { uid: things.uids.file } }),
  downloadFile: (things) => ({ params: { uid: things.uids.file } }),
  createFileUpload: (things, times) => ({
    params: { uid: things.uids.node },
    body: { name: `${times}.txt`, size: 3 },
  }),
  appendFileUpload: { body: {} },
  createEndpoint: (_things, times) => ({ body: { name: `made/${times}`, code: CODE } }),
  getEndpoint: { params: { name: 'ours/echo' } },
  putEndpoint: { params: { name: 'ours/spare' }, body: { description: 'spare' } },
  deleteEndpoint: { params: { name: 'ours/spare' } },
  checkEndpoint: { body: { code: CODE } },
  createModule: (_things, times) => ({ body: { name: `made/${times}`, code: MODULE } }),
  putModule: { body: { code: MODULE } },
  checkModule: { body: { code: MODULE } },
  getEndpointTypes: { params: { name: 'ours/echo' } },
  listEndpointCalls: { params: { name: 'ours/echo' } },
  getCallTrace: { params: { id: 'no-such-trace' } },
  runDraft: { body: { name: 'ours/draft', code: CODE } },
  runEndpoint: { params: { name: 'ours/echo' }, body: {} },
  runEndpointAlias: { params: { name: 'ours/echo' }, body: {} },
  runEndpointWithToken: { params: { name: 'ours/echo' }, body: {} },
  cancelRun: { params: { name: 'ours/echo' } },
  cancelRunAlias: { params: { name: 'ours/echo' } },
  cancelRunWithToken: { params: { name: 'ours/echo' } },
  listItemHistory: { params: { name: 'ours/echo' } },
  getCodeVersion: { params: { name: 'ours/echo' }, query: { version: '1' } },
  diffCode: { params: { name: 'ours/echo' } },
  restoreCode: { params: { name: 'ours/echo' }, body: { version: 1 } },
  compareCode: { params: { name: 'ours/echo' }, body: { version: 1 } },
  listRecordedInputs: { params: { name: 'ours/echo' } },
  recordInputs: { params: { name: 'ours/echo' }, body: { keep: 1 } },
  // A stream of one that there is does not end.
  watchEndpoint: { params: { name: 'ours/none' }, body: {} },
  watchEndpointWithToken: { params: { name: 'ours/none' }, body: {} },
  // A time that has passed ends the stream.
  watchEndpointLogs: { query: { to: '2026-01-01T00:00:00Z' } },
  createTask: (_things, times) => ({
    body: { name: `task-${times}`, cron: '0 3 1 1 *', endpoint: 'ours/echo' },
  }),
  checkTaskSchedule: { body: { cron: '@daily' } },
  putTask: { body: { enabled: false } },
  pauseTrigger: { body: { endpoint: 'none' } },
  resumeTrigger: { body: { endpoint: 'none' } },
  createMigration: (_things, times) => ({
    body: { name: `migration-${times}`, code: 'export default () => 1;' },
  }),
  runMigrations: { body: { name: 'none' } },
  putMigration: { body: {} },
  watchLogs: { query: { to: '2020-01-01T00:00:00Z' } },
  putGoldenSet: {
    params: { name: 'questions' },
    body: { queries: [{ query: 'note', relevant: [NOBODY] }] },
  },
  putGoldenAnswers: {
    params: { name: 'answers' },
    body: { questions: [{ id: 'one', question: 'What is it?' }] },
  },
  // No provider is configured, and there is no such run: 404 and 409 are answers to those who may.
  getGoldenAnswerRun: { params: { run: '1' } },
  labelGoldenAnswers: {
    body: { run: 1, labels: [{ question: 'one', nugget: 0, verdict: 'found' }] },
  },
  startExtraction: {
    body: { types: ['Note'], documents: { type: 'Note' } },
  },
  changeProposal: { body: { fields: {} } },
  putSearchSettings: { body: { types: {} } },
  putLlmSearchSettings: { body: { nodeTypes: [], filters: [] } },
  listSynonyms: { query: { lang: 'en' } },
  getSynonyms: { query: { token: 'car', lang: 'en' } },
  putSynonyms: {
    query: { token: 'car', lang: 'en' },
    body: { Synonyms: ['vehicle'], Alternates: [], Blocked: [] },
  },
  getEmbeddings: (things) => ({ body: { UIDs: [things.uids.node] } }),
  getSimilarNodes: (things) => ({ params: { uid: things.uids.node } }),
  findSimilarNodes: (things) => ({ params: { uid: things.uids.node } }),
  callMcp: { body: { jsonrpc: '2.0', id: 1, method: 'ping' } },
  createTool: (_things, times) => ({
    body: { name: `echo-${times}`, description: 'Says it again.', endpoint: 'ours/echo' },
  }),
  putTool: { body: { enabled: false } },
  putSecret: {
    params: { name: 'SAMPLE' },
    body: { value: 'a value of a test', hosts: ['api.example.com'] },
  },
  deleteSecret: { params: { name: 'NOBODYS' } },
  // Nothing is allowed to be reached: 422 is an answer to those who may.
  createConnector: {
    body: {
      name: 'sample',
      source: { kind: 'csv', url: 'https://files.example.com/a.csv', type: 'Row', key: 'Id' },
    },
  },
  updateConnector: {
    params: { id: 'nobodys' },
    body: {
      name: 'x',
      source: { kind: 'csv', url: 'https://files.example.com/a.csv', type: 'Row', key: 'Id' },
    },
  },
  testConnector: {
    body: {
      source: { kind: 'csv', url: 'https://files.example.com/a.csv', type: 'Row', key: 'Id' },
    },
  },
  runConnector: { params: { id: 'nobodys' }, body: {} },
  createWebhook: { body: { name: 'sample', url: 'https://hooks.example.com/' } },
  updateWebhook: { params: { id: 'nobodys' }, body: { name: 'x', url: 'https://example.com/' } },
  replayWebhook: { params: { id: 'nobodys' }, body: { fromSequence: 1 } },
  createAgent: (_things, times) => ({
    body: { name: `agent-${times}`, instructions: 'Be short.' },
  }),
  putAgent: { body: { access: 'admins' } },
  runAgent: { body: { message: 'Hello' } },
  // No provider is configured: 409 is an answer to those who may.
  sendChatMessage: { body: { message: 'Hello' } },
  createChat: { body: {} },
  putChat: { body: { title: 'Ours' } },
  putChatFeedback: { body: { value: 'up' } },
  startDeepResearch: { body: { chatUID: NOBODY, question: 'What is it?' } },
  putResearchSettings: { body: {} },
  cancelDeepResearch: { query: { chatUID: NOBODY } },
  putAiProviders: { body: {} },
  putAssistantSettings: { body: {} },
  putLlmBudgets: { body: {} },
  sendAdminAgentMessage: { body: { message: 'Hello' } },
  // No form: 415 is an answer to those who may.
  uploadAdminAgentFile: { body: {} },
  // No provider is configured: 409 is an answer to those who may.
  createChatCompletion: { body: { model: 'm', messages: [{ role: 'user', content: 'Hello' }] } },
  createResponse: { body: { model: 'm', input: 'Hello' } },
  getOpenAiModel: { params: { model: 'm' } },
  getAnthropicModel: { params: { model: 'm' } },
  countMessageTokens: { body: { model: 'm', messages: [{ role: 'user', content: 'Hello' }] } },
  createEmbeddings: { body: { model: 'm', input: 'Hello' } },
  createMessage: {
    body: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] },
  },
  getSsoConfig: { params: { provider: 'oktasso' } },
  setSsoConfig: { params: { provider: 'oktasso' }, body: { enabled: false } },
  getLoginUrl: { params: { provider: 'oktasso' } },
  registerOAuthClient: { body: { redirect_uris: ['https://client.example/callback'] } },
  // There is no such client: 401 is an answer to anybody.
  createOAuthTokens: { form: { grant_type: 'refresh_token', client_id: 'x', refresh_token: 'y' } },
  revokeOAuthToken: { form: { token: 'x', client_id: 'y' } },
  // There is no such request: 400 is an answer to those who may.
  describeOAuthRequest: { body: { request: 'x' } },
  createOAuthClient: { body: { redirect_uris: ['https://client.example/callback'] } },
  // There is no such grant: 404 is an answer to those who may.
  listOAuthClientGrants: { params: { id: 'none' } },
  withdrawOAuthClient: { params: { id: 'none' } },
  endOAuthGrant: { params: { id: 'none' } },
  decideOAuthRequest: { body: { request: 'x', allow: true } },
  completeLogin: { params: { provider: 'oktasso' }, query: { state: 'x', code: 'y' } },
  setSamlConfig: { body: { providers: {} } },
  createSamlRequest: { params: { providerName: 'ours', issuer: 'issuer', destination: '/' } },
  consumeSamlResponse: { form: { SAMLResponse: 'PHg+' } },
  exchangeLogin: { body: { code: NOBODY } },
  registerReplica: {
    body: {
      replicaUID: NOBODY,
      publicAddress: 'http://127.0.0.1:1',
      serverAddress: 'http://127.0.0.1:1',
      epoch: '',
      sequence: 0,
      version: '1',
      time: 0,
      masterKeyProof: PROOF,
      nonce: PROOF,
      proof: PROOF,
    },
  },
};

export async function sampleRequest(
  operation: Operation & { readonly id: OperationId },
  things: SampleThings,
  times: number,
): Promise<SampleRequest> {
  const made: Make<AnySample> = samples[operation.id] ?? {};
  const { params, query, body, form } =
    typeof made === 'function' ? await made(things, times) : made;
  const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
  return {
    method: operation.method,
    path: samplePath(operation, params) + search,
    ...(body === undefined ? {} : { body }),
    ...(form === undefined ? {} : { form }),
  };
}

/**
 * A path of the operation. A parameter that is not given is the first of its words, or names
 * nothing.
 */
export function samplePath({ path, params }: Operation, given: AnySample['params'] = {}): string {
  return path.replaceAll(/\{(\+?)(\w+)\}/g, (_, rest: string, name: string) => {
    const shape = params?.shape[name];
    const value = given[name] ?? (shape instanceof z.ZodEnum ? String(shape.options[0]) : NOBODY);
    return rest === ''
      ? encodeURIComponent(value)
      : value.split('/').map(encodeURIComponent).join('/');
  });
}
