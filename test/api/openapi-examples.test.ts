import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AnyExample,
  GIVEN,
  requests as examples,
} from '@trellis/contract/openapi/examples/requests.ts';
import { type OperationId, operations } from '@trellis/contract/operations.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { samplePath } from '@trellis/contract/testing/sample-requests.ts';
import { valueAt } from '../support/http-client.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

/**
 * What the examples are answered with, as the document shows it. TRELLIS_WRITE_EXAMPLES=1 writes
 * the file.
 */
const FILE = join(import.meta.dirname, '../../contract/src/openapi/examples/answers.json');

/** Which member of an answer says what a workspace has given by chance. */
const GIVES: Partial<Record<OperationId, readonly [name: keyof typeof GIVEN, member: string]>> = {
  createUser: ['user', 'UID'],
  createTeam: ['team', 'UID'],
  createToken: ['token', 'id'],
  createWebhook: ['webhook', 'id'],
  createConnector: ['connector', 'id'],
  mergeNodes: ['merge', 'id'],
  createFileUpload: ['upload', 'id'],
  runTask: ['job', 'id'],
  createChat: ['chat', 'UID'],
  createAdminAgentSession: ['session', 'id'],
};

/** Operations whose requests no example of one workspace can be. */
const WITHOUT: Readonly<Record<string, readonly OperationId[]>> = {
  'a file is sent, as a form, a zip or bytes': [
    'uploadNodeFile',
    'getFile',
    'downloadFile',
    'deleteFile',
    'appendFileUpload',
    'importDefinitions',
    'getDeployment',
    'rollBackDeployment',
    'putInterface',
    'deleteInterface',
    'uploadAdminAgentFile',
  ],
  'a model is asked': [
    'sendChatMessage',
    'putChatFeedback',
    'getChatFeedback',
    'runAgent',
    'getAgentRun',
    'cancelAgentRun',
    'startDeepResearch',
    'getDeepResearch',
    'cancelDeepResearch',
    'runGoldenAnswers',
    'getGoldenAnswerRun',
    'labelGoldenAnswers',
    'startExtraction',
    'getExtraction',
    'resumeExtraction',
    'deleteExtraction',
    'listProposals',
    'approveProposals',
    'rejectProposals',
    'changeProposal',
    'getProposalText',
    'sendAdminAgentMessage',
    'approveAdminAgentCommit',
    'rejectAdminAgentCommit',
    'createChatCompletion',
    'createEmbeddings',
    'createMessage',
    'createResponse',
    'countMessageTokens',
    'getOpenAiModel',
    'getAnthropicModel',
    'listOpenAiModels',
    'listAnthropicModels',
  ],
  'an identity provider is asked': [
    'setSsoConfig',
    'getLoginUrl',
    'completeLogin',
    'createSamlRequest',
    'consumeSamlResponse',
    'getSamlMetadata',
    'exchangeLogin',
  ],
  'an MCP client, and the browser of its user, take part': [
    'getProtectedResource',
    'getMcpResource',
    'getAuthorizationServer',
    'registerOAuthClient',
    'authorizeOAuthClient',
    'createOAuthTokens',
    'revokeOAuthToken',
    'describeOAuthRequest',
    'decideOAuthRequest',
    'createOAuthClient',
    'listOAuthClients',
    'listOAuthClientGrants',
    'withdrawOAuthClient',
    'listOAuthGrants',
    'endOAuthGrant',
  ],
  'it needs another server, or a place for backups': [
    'listReplicas',
    'verifyReplicas',
    'listMembers',
    'stepDown',
    'registerReplica',
    'runBackup',
    'listBackups',
    'verifyBackup',
    'deleteBackup',
  ],
  'what it is about goes on meanwhile': [
    'cancelJob',
    'cancelRun',
    'cancelRunAlias',
    'cancelRunWithToken',
    'runMigrations',
    'runMigration',
    'cancelMigration',
    'resetMigrationStatus',
    'deleteSchemaIndex',
    'pauseTrigger',
    'resumeTrigger',
    'retrySetAside',
    'deleteSetAside',
    'testWebhook',
    'testConnector',
    'runConnector',
    'dismissDuplicate',
    'reopenDuplicate',
  ],
  'it takes the token of an identity provider': [
    'getScimServiceProviderConfig',
    'listScimResourceTypes',
    'getScimResourceType',
    'listScimSchemas',
    'getScimSchema',
    'listScimUsers',
    'createScimUser',
    'getScimUser',
    'replaceScimUser',
    'patchScimUser',
    'deleteScimUser',
    'listScimGroups',
    'createScimGroup',
    'getScimGroup',
    'replaceScimGroup',
    'patchScimGroup',
    'deleteScimGroup',
  ],
  'no name of the schema has changed': ['deleteSchemaAlias', 'undoSchemaChange'],
  'its id is another one each time': ['getCallTrace'],
  'it takes what was mailed, another token, or ends the session': [
    'completePasswordReset',
    'runEndpointWithToken',
    'endSession',
  ],
  'the stream does not end': ['watchEndpoint', 'watchEndpointWithToken'],
  'the answer is this very document': ['getApiDocument'],
};
const requests: { readonly [Id in OperationId]?: AnyExample | undefined } = examples;
const without = new Set(Object.values(WITHOUT).flat());

interface Recorded {
  readonly status: number;
  readonly body?: unknown;
}

let workspace: TestWorkspace;
const recorded: Partial<Record<OperationId, Recorded>> = {};
beforeAll(async () => {
  workspace = await startWorkspace();
  await record();
  if (process.env['TRELLIS_WRITE_EXAMPLES'] === '1') {
    writeFileSync(FILE, `${JSON.stringify(recorded, null, 2)}\n`);
  }
});
afterAll(() => workspace[Symbol.asyncDispose]());

/** Sends every example, in their order; those without a request come where one can answer them. */
async function record(): Promise<void> {
  const given = new Map<string, string>();
  const refused: string[] = [];
  const simple = operations.filter(({ id }) => !(id in requests) && !without.has(id));
  const before = Object.keys(requests).indexOf('deleteEndpoint');
  const told = Object.keys(requests) as OperationId[];
  const order = [...told.slice(0, before), ...simple.map(({ id }) => id), ...told.slice(before)];
  for (const id of order) {
    const operation = operations.find((one) => one.id === id);
    if (operation === undefined) throw new Error(`there is no operation ${id}`);
    const answer = await send(operation, requests[id] ?? {}, given);
    if (answer.status >= 300) refused.push(`${id}: ${answer.text.slice(0, 500)}`);
    const gives = GIVES[id];
    if (gives !== undefined) given.set(GIVEN[gives[0]], String(valueAt(answer.json, gives[1])));
    const shownFor = [...given].map(([example, own]) => [own, example] as const);
    const text = replaced(answer.text, [...shownFor, [workspace.server.url, ADDRESS]]);
    const body = answer.json === undefined ? textOf(text, operation) : JSON.parse(text);
    recorded[id] = { status: answer.status, ...(body !== undefined && { body: shown(body) }) };
  }
  expect(refused).toEqual([]);
}

function send(operation: Operation, example: AnyExample, given: ReadonlyMap<string, string>) {
  const own = JSON.parse(replaced(JSON.stringify(example), [...given])) as AnyExample;
  const query = new URLSearchParams(own.query as Record<string, string> | undefined).toString();
  const path = samplePath(operation, own.params as Record<string, string> | undefined);
  return workspace.http.send({
    method: operation.method,
    path: query === '' ? path : `${path}?${query}`,
    token: operation.auth === 'none' ? undefined : workspace.token,
    body: own.body,
    headers: operation.id === 'callMcp' ? { accept: 'application/json, text/event-stream' } : {},
  });
}

function replaced(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((now, [from, to]) => now.replaceAll(from, to), text);
}

/** Of bytes nothing is shown, and of a stream of nothing neither. */
function textOf(text: string, { responses }: Operation): string | undefined {
  const isBytes = Object.values(responses).some(({ contentType }) =>
    ['application/zip', 'application/octet-stream'].includes(contentType ?? ''),
  );
  return isBytes || text === '' ? undefined : text;
}

const ADDRESS = 'https://library.example.com';
const TEXT_MAX = 600;
const ITEMS_MAX = 2;
const MOMENT = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** As the document shows it: lists and texts not at their full length, and one time for all. */
function shown(value: unknown): unknown {
  if (typeof value === 'string') {
    const text = value
      .replaceAll(MOMENT, '2026-05-01T09:00:00.000Z')
      .replace(/(?<=[?&]token=)[\w-]+/, 'example')
      .replace(/^whsec_[\w+/=]+$/, 'whsec_of_an_example')
      .replace(/^ey[\w-]+\.[\w-]+\.[\w-]+$/, 'eyJhbGciOiJFZERTQSJ9.example.signature');
    return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)} …` : text;
  }
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map(shown);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shown(inner)]));
}

/**
 * The names and types in JSON. Null may stand for anything, and a list for the shape of its first
 * item: what is there or not yet is a matter of time.
 */
function differences(now: unknown, told: unknown, at: string): string[] {
  if (now === null || told === null) return [];
  if (Array.isArray(now) && Array.isArray(told)) {
    if (now.length === 0 || told.length === 0) return [];
    return differences(now[0], told[0], `${at}[]`);
  }
  if (typeof now !== typeof told || Array.isArray(now) !== Array.isArray(told)) {
    return [`${at} is ${typeof now} now, and was ${typeof told}`];
  }
  if (typeof now !== 'object' || typeof told !== 'object') return [];
  const names = new Set([...Object.keys(now), ...Object.keys(told)]);
  return [...names].flatMap((name) => {
    if (!(name in now) || !(name in told)) return [`${at}.${name} is in one of the two`];
    return differences(valueAt(now, name), valueAt(told, name), `${at}.${name}`);
  });
}

const told = JSON.parse(readFileSync(FILE, 'utf8')) as typeof recorded;

describe('the examples of the OpenAPI document', () => {
  test('are there for every operation, but for those of which it is said why not', () => {
    const both = Object.keys(requests).filter((id) => without.has(id as OperationId));
    expect(both).toEqual([]);
    const expected = operations.map(({ id }) => id).filter((id) => !without.has(id));
    expect(Object.keys(told).toSorted()).toEqual(expected.toSorted());
  });

  test.each(Object.keys(told) as OperationId[])('%s is answered so', (id) => {
    const { status, body } = recorded[id] ?? { status: 0 };
    expect(status).toBe(told[id]?.status);
    expect(differences(body, told[id]?.body, id)).toEqual([]);
    const operation = operations.find((one) => one.id === id);
    expect(operation?.responses[status], `${status} is among its answers`).toBeDefined();
  });
});
