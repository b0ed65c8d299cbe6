import type { z } from 'zod';
import type { OperationId, OperationOf } from '../../operations.ts';

/** UIDs and ids that a workspace gives by chance: a test puts its own in their place. */
export const GIVEN = {
  user: '7hYp3vKq9sTn2wXc5mBd8f',
  team: '4kQm8RtZc2VxWn6LpYd3Hs',
  token: '9cWn5RtBq8KxYm2LpVd4Hs',
  upload: '3bTq7MwXc9RnZk5HpLd2Vs',
  job: '8fKx4WnTq6YmRc2LpZd9Hb',
  chat: '7vbXzqGAm3WCiHpAmoqgqD',
  session: '5XnC8rYqQb2mTgk6oWv1Ze',
  webhook: '6dGw3NpVx8ThRq5KyLm2Cs',
  connector: '2rHt6WqYm4ZcVn9KxLp7Bd',
  merge: '2nVd7LsXq4WkTc9RyHm5Bp',
} as const;

const WEBHOOK = {
  name: 'CRM',
  url: 'https://hooks.example.com/trellis',
  types: ['Book'],
};

const CONNECTOR = {
  name: 'Prices',
  source: {
    kind: 'csv',
    url: 'https://hooks.example.com/prices.csv',
    type: 'Price',
    key: 'Sku',
  },
} as const;

type MemberOf<O, Name extends string> = O extends {
  readonly [N in Name]: infer Shape extends z.ZodType;
}
  ? z.input<Shape>
  : undefined;

/** A request that can be sent as it is; the contract gives method and path. */
interface ExampleOf<O> {
  readonly params?: MemberOf<O, 'params'> | undefined;
  readonly query?: MemberOf<O, 'query'> | undefined;
  readonly body?: MemberOf<O, 'body'>;
}

export interface AnyExample {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** UIDs of nodes with a key are made of type and key: the same in every workspace. */
const DUNE = 'X9XMSPzNHQV2ZL8uVWH54Y';
const FOUNDATION = 'FtPZzkEFmnhSn4xgREbTxB';
const ENDPOINT = { name: 'books/by-author' };
const HISTORY = { kind: 'endpoint', name: 'books/by-author' } as const;
const CODE = `export const input = z.object({ author: z.string() });

export default async function ({ body, q }: Scope<{ author: string }>) {
  return q().startAt('Author', body.author).in('Book', 'WrittenBy').asUser().nodes();
}
`;
const MODULE = `export function price(pages: number): number {
  return Math.round(pages * 0.07 * 100) / 100;
}
`;
const MIGRATION = `export default async function ({ graph, q }: Scope) {
  for (const book of await q().startAt('Book').nodes()) {
    await graph.addOrUpdate('Book', String(book.Isbn), { Pages: (book.Pages ?? 0) + 1 });
  }
}
`;
const SCHEMA = {
  nodes: [
    { type: 'Book', key: 'Isbn', fields: { Title: 'String', Pages: 'Int' }, label: 'Title' },
    { type: 'Author', key: 'Name', fields: { Born: 'Int' } },
  ],
  edges: [
    { type: 'WrittenBy', inverse: 'Wrote' },
    { type: 'Wrote', inverse: 'WrittenBy' },
  ],
} as const;

/**
 * A request for each operation, in an order in which a new workspace can answer them. An operation
 * that needs neither a body nor a parameter has none.
 */
export const requests: {
  readonly [Id in OperationId]?: ExampleOf<OperationOf<Id>>;
} = {
  createLogin: { body: { user: 'admin', password: 'correct horse battery' } },
  putSchema: {
    body: {
      nodes: SCHEMA.nodes.map((type) => ({ ...type, fields: { ...type.fields } })),
      edges: [...SCHEMA.edges],
    },
  },
  ingest: {
    body: {
      operations: [
        {
          op: 'addOrUpdate',
          type: 'Book',
          key: '9780441013593',
          fields: { Title: 'Dune', Pages: 592 },
        },
        {
          op: 'addOrUpdate',
          type: 'Book',
          key: '9780553293357',
          fields: { Title: 'Foundation', Pages: 244 },
        },
        { op: 'addOrUpdate', type: 'Author', key: 'Frank Herbert', fields: { Born: 1920 } },
        {
          op: 'link',
          from: { type: 'Book', key: '9780441013593' },
          edge: 'WrittenBy',
          inverse: 'Wrote',
          to: { type: 'Author', key: 'Frank Herbert' },
        },
      ],
    },
  },
  changeSchema: {
    body: { changes: [{ rename: { type: 'Book', field: 'Title', to: 'Name' } }], dryRun: true },
  },
  queryNodes: { body: { type: 'Book', take: 10 } },
  getNode: { params: { uid: DUNE } },
  getNodeRecord: { params: { uid: DUNE } },
  updateNode: { params: { uid: DUNE }, body: { fields: { Pages: 604 }, ifVersion: 1 } },
  getNodeHistory: { params: { uid: DUNE }, query: { take: '10' } },
  restoreNode: { params: { uid: DUNE }, body: { version: 1 } },
  getManyNodes: { body: { uids: [DUNE, { type: 'Book', key: '9780553293357' }] } },
  getManyFields: { body: { uids: [DUNE, FOUNDATION], template: '{Title}, {Pages} pages' } },
  downloadCsv: { body: { type: 'Book', fields: ['Title', 'Pages'] } },
  downloadJsonl: { body: { type: 'Book', fields: ['Title', 'Pages'] } },
  downloadZip: { body: { type: 'Book' } },
  downloadSyntheticCsv: { body: { nodes: [{ Title: 'Dune', Pages: 592 }] } },
  downloadSyntheticJsonl: { body: { nodes: [{ Title: 'Dune', Pages: 592 }] } },
  createNode: { body: { type: 'Author', key: 'Isaac Asimov', fields: { Born: 1920 } } },
  changeNodeLinks: {
    params: { uid: FOUNDATION },
    body: { add: [{ edge: 'WrittenBy', to: { type: 'Author', key: 'Isaac Asimov' } }] },
  },
  changeManyNodes: {
    body: {
      uids: [DUNE, FOUNDATION],
      change: { remove: { edge: 'WrittenBy', to: { type: 'Author', key: 'Isaac Asimov' } } },
    },
  },
  createFileUpload: { params: { uid: DUNE }, body: { name: 'notes.txt', size: 5 } },
  getFileUpload: { params: { id: GIVEN.upload } },
  deleteFileUpload: { params: { id: GIVEN.upload } },
  listNodeFiles: { params: { uid: DUNE } },

  createUser: {
    body: { userName: 'ann', email: 'ann@example.com', firstName: 'Ann', lastName: 'Smith' },
  },
  listUsers: { query: { query: 'ann' } },
  getUser: { params: { uid: GIVEN.user } },
  updateUser: { params: { uid: GIVEN.user }, body: { lastName: 'Jones' } },
  createTeam: { body: { name: 'Readers' } },
  listTeams: { query: { query: 'read' } },
  getTeam: { params: { groupUID: GIVEN.team } },
  updateTeam: { params: { groupUID: GIVEN.team }, body: { description: 'Who reads a lot.' } },
  setTeamUsers: { params: { groupUID: GIVEN.team }, body: { add: [GIVEN.user] } },
  listTeamUsers: { params: { groupUID: GIVEN.team }, query: { nested: 'true' } },
  putTypeAccess: { body: { types: { Book: { writableBy: { teams: [GIVEN.team] } } } } },
  explainAccess: { query: { user: 'ann', node: DUNE } },
  putNodeAccess: { params: { uid: FOUNDATION }, body: { teams: [GIVEN.team] } },
  getNodeAccess: { params: { uid: FOUNDATION } },
  resolvePrincipals: { body: { users: ['ann'], teams: ['Readers'] } },
  createToken: { body: { kind: 'api', name: 'Reports', scopes: ['read'] } },
  listTokens: { query: { revoked: 'false' } },
  getToken: { params: { id: GIVEN.token } },
  putWorkspaceSettings: {
    body: { name: 'Library', fetchAllowList: ['https://hooks.example.com'] },
  },
  createWebhook: { body: { ...WEBHOOK, enabled: false } },
  getWebhook: { params: { id: GIVEN.webhook } },
  updateWebhook: {
    params: { id: GIVEN.webhook },
    body: { ...WEBHOOK, actions: ['created', 'updated'], enabled: false },
  },
  listWebhookDeliveries: { params: { id: GIVEN.webhook } },
  replayWebhook: { params: { id: GIVEN.webhook }, body: { fromSequence: 1 } },
  createConnector: {
    body: { ...CONNECTOR, schedule: { cron: '0 6 * * *', timeZone: 'Europe/Berlin' } },
  },
  getConnector: { params: { id: GIVEN.connector } },
  updateConnector: { params: { id: GIVEN.connector }, body: { ...CONNECTOR, enabled: false } },
  listConnectorRuns: { params: { id: GIVEN.connector } },
  listConnectorAccess: { params: { id: GIVEN.connector } },
  cancelConnectorRun: { params: { id: GIVEN.connector } },
  rotateWebhookSecret: { params: { id: GIVEN.webhook } },

  createEndpoint: {
    body: {
      ...ENDPOINT,
      code: CODE,
      isReadOnly: true,
      description: 'Lists the books of an author.',
    },
  },
  listEndpoints: { query: { take: '1' } },
  getEndpoint: { params: ENDPOINT },
  putEndpoint: { params: ENDPOINT, body: { cacheSeconds: 60 } },
  checkEndpoint: { body: { code: CODE, isReadOnly: true } },
  recordInputs: { params: HISTORY, body: { keep: 10 } },
  runEndpoint: { params: ENDPOINT, body: { author: 'Frank Herbert' } },
  runEndpointAlias: { params: ENDPOINT, body: { author: 'Frank Herbert' } },
  runDraft: { body: { ...ENDPOINT, code: CODE, body: { author: 'Frank Herbert' } } },
  getEndpointTypes: { params: ENDPOINT },
  listEndpointCalls: { params: ENDPOINT },
  getBuildTypes: { query: { scope: 'read-only' } },
  listItemHistory: { params: HISTORY },
  getCodeVersion: { params: HISTORY, query: { version: '1' } },
  diffCode: { params: HISTORY, query: { from: '1', to: '2' } },
  compareCode: { params: HISTORY, body: { version: 1, body: { author: 'Frank Herbert' } } },
  restoreCode: { params: HISTORY, body: { version: 1 } },
  listRecordedInputs: { params: HISTORY },
  listEndpointLogs: { query: { endpoint: 'books/', level: 'warn' } },
  watchEndpointLogs: { query: { to: '2026-01-01T00:00:00Z' } },

  createTask: {
    body: {
      name: 'nightly list',
      cron: '0 3 * * *',
      endpoint: 'books/by-author',
      body: { author: 'Frank Herbert' },
    },
  },
  checkTaskSchedule: { body: { cron: '@daily', timeZone: 'Europe/Berlin' } },
  getTask: { params: { name: 'nightly list' } },
  putTask: { params: { name: 'nightly list' }, body: { cron: '30 3 * * *' } },
  disableTask: { params: { name: 'nightly list' } },
  enableTask: { params: { name: 'nightly list' } },
  runTask: { params: { name: 'nightly list' } },
  watchJob: { params: { id: GIVEN.job } },
  getJob: { params: { id: GIVEN.job } },
  listTaskRuns: { params: { name: 'nightly list' } },
  deleteTask: { params: { name: 'nightly list' } },
  createModule: { body: { name: 'prices', code: MODULE } },
  listModules: {},
  listPackages: {},
  getModule: { params: { name: 'prices' } },
  checkModule: { body: { name: 'prices', code: MODULE } },
  putModule: { params: { name: 'prices' }, body: { code: MODULE, version: 1 } },
  deleteModule: { params: { name: 'prices' } },
  createMigration: { body: { name: 'one page more', code: MIGRATION, runOnStartup: false } },
  getMigration: { params: { name: 'one page more' } },
  putMigration: { params: { name: 'one page more' }, body: { runOnStartup: true } },
  dryRunMigration: { params: { name: 'one page more' } },
  deleteMigration: { params: { name: 'one page more' } },

  searchLogs: { query: { level: 'info', take: '2' } },
  countLogs: { query: { level: 'info', spans: '2' } },
  downloadLogs: { query: { level: 'error' } },
  watchLogs: { query: { to: '2026-01-01T00:00:00Z' } },
  listAudit: { query: { action: 'user', take: '2' } },
  putSearchSettings: {
    body: { types: { Book: { fields: { Title: { text: { boost: 2 } } } } } },
  },
  putLlmSearchSettings: { body: { nodeTypes: ['Book'], filters: [] } },
  putSynonyms: {
    query: { token: 'novel', lang: 'en' },
    body: { Synonyms: ['book'], Alternates: [], Blocked: [] },
  },
  getSynonyms: { query: { token: 'novel', lang: 'en' } },
  listSynonyms: { query: { lang: 'en' } },
  putGoldenSet: {
    params: { name: 'titles' },
    body: { queries: [{ query: 'dune', relevant: [DUNE] }] },
  },
  getGoldenSet: { params: { name: 'titles' } },
  runGoldenSet: { params: { name: 'titles' } },
  listGoldenSetRuns: { params: { name: 'titles' } },
  deleteGoldenSet: { params: { name: 'titles' } },
  putGoldenAnswers: {
    params: { name: 'books' },
    body: {
      questions: [
        {
          id: 'author',
          question: 'Who wrote Dune?',
          nuggets: [{ text: 'Frank Herbert', importance: 'vital', uids: [DUNE] }],
        },
      ],
    },
  },
  listGoldenAnswers: {},
  getGoldenAnswers: { params: { name: 'books' } },
  listGoldenAnswerRuns: { params: { name: 'books' } },
  deleteGoldenAnswers: { params: { name: 'books' } },
  listExtractions: {},
  listChatFeedback: { query: { value: 'down' } },
  getEmbeddings: { body: { UIDs: [DUNE] } },
  getSimilarNodes: { params: { uid: DUNE }, query: { count: '5' } },
  findSimilarNodes: { params: { uid: DUNE }, query: { count: '5' } },

  callMcp: { body: { jsonrpc: '2.0', id: 1, method: 'ping' } },
  createTool: {
    body: {
      name: 'books-by-author',
      description: 'Lists the books of an author. Call it with the whole name.',
      endpoint: 'books/by-author',
    },
  },
  putTool: { params: { name: 'books-by-author' }, body: { access: 'admins' } },
  createAgent: {
    body: {
      name: 'librarian',
      instructions: 'Recommend one book in ${LANGUAGE:-English}, and say why.',
      tools: ['books-by-author'],
    },
  },
  getAgent: { params: { name: 'librarian' } },
  putAgent: { params: { name: 'librarian' }, body: { limits: { seconds: 60 } } },
  listAgentRuns: { query: { agent: 'librarian' } },
  deleteAgent: { params: { name: 'librarian' } },
  deleteConnector: { params: { id: GIVEN.connector } },
  mergeNodes: { body: { into: DUNE, node: FOUNDATION, fields: { Title: 'Dune' } } },
  listMerges: { query: { take: '10' } },
  splitNodes: { params: { id: GIVEN.merge } },
  putDuplicateRule: { params: { type: 'Book' }, body: { fields: ['Title'], minScore: 0.7 } },
  findDuplicates: { body: { type: 'Book' } },
  listDuplicates: { query: { type: 'Book' } },
  deleteDuplicateRule: { params: { type: 'Book' } },
  deleteWebhook: { params: { id: GIVEN.webhook } },
  deleteTool: { params: { name: 'books-by-author' } },
  putSecret: {
    params: { name: 'CRM_KEY' },
    body: {
      value: 'the-key-of-the-crm',
      hosts: ['crm.example.com'],
      endpoints: ['books/by-author'],
    },
  },
  deleteSecret: { params: { name: 'CRM_KEY' } },
  createChat: { body: { title: 'Books about deserts' } },
  listChats: { query: { query: 'deserts' } },
  getChat: { params: { uid: GIVEN.chat } },
  putChat: { params: { uid: GIVEN.chat }, body: { title: 'Deserts' } },
  watchChat: { params: { uid: GIVEN.chat } },
  stopChat: { params: { uid: GIVEN.chat } },
  deleteChat: { params: { uid: GIVEN.chat } },
  putResearchSettings: { body: { limits: { minutes: 30 } } },
  putLlmBudgets: {
    body: {
      currency: 'EUR',
      prices: { 'model-large': { inputPerMillion: 3, outputPerMillion: 15 } },
      budgets: [{ team: null, tokens: 50_000_000, money: 200 }],
    },
  },
  putAssistantSettings: { body: { instructions: 'A "tome" is a book of more than 500 pages.' } },
  putAiProviders: {
    body: {
      chat: {
        provider: 'openai-compatible',
        baseUrl: 'https://api.openai.com/v1',
        model: 'gpt-5-mini',
        apiKey: 'sk-example',
      },
    },
  },
  createAdminAgentSession: {},
  getAdminAgentSession: { params: { id: GIVEN.session } },
  deleteAdminAgentSession: { params: { id: GIVEN.session } },
  getSsoConfig: { params: { provider: 'oktasso' } },
  setSamlConfig: { body: { providers: {} } },

  deleteEndpoint: { params: ENDPOINT },
  deleteNode: { params: { uid: FOUNDATION }, query: { ifVersion: '1' } },
  createPasswordResetLink: { params: { uid: GIVEN.user } },
  resetPassword: { body: { email: 'ann@example.com' } },
  deactivateUser: { params: { uid: GIVEN.user } },
  deleteTeam: { params: { groupUID: GIVEN.team } },
  revokeToken: { params: { id: GIVEN.token } },
  changePassword: {
    body: { oldPassword: 'correct horse battery', newPassword: 'staple correct horse battery' },
  },
};
