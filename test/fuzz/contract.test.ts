import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '@trellis/contract/operations.ts';
import { sampleRequest } from '@trellis/contract/testing/sample-requests.ts';
import { CALLER_KINDS, type CallerKind } from '../support/access-rows.ts';
import { AccessScene } from '../support/access-scene.ts';
import { DefinitionsScene, MANIFEST } from '../support/definitions-scene.ts';
import { scale, seed } from '../support/scale.ts';
import { zipOf } from '../support/zip.ts';
import { AnswerCheck, type SeenAnswer } from './answer-check.ts';
import { describedOperations, type DescribedOperation } from './described-operations.ts';
import { requestsTo, type FuzzedRequest } from './fuzzed-requests.ts';
import { field } from '../support/http-client.ts';
import { type KnownValues, SchemaValues } from './schema-values.ts';

/** To each operation. */
const REQUESTS = scale({ sample: 16, soak: 300 });
const PARALLEL = 8;
const PATIENCE_MS = 120_000;
/** Of each list. */
const LISTED_MAX = 6;

/** Those that would turn the others away: they end sessions, or change passwords. */
const LAST = ['endSession', 'changePassword'];
/** And those that take away what the others are about. */
const TAKES_AWAY = /^(?:delete|deactivate|revoke|changeSchema$)/;

/** Administrators get furthest, so that they ask most. */
const CALLERS: readonly CallerKind[] = [
  ...Array.from({ length: 24 }, () => 'administrator' as const),
  ...Array.from({ length: 4 }, () => 'user' as const),
  ...CALLER_KINDS,
];
/** Kinds of tokens that operations of their own take. */
const OWN_CALLERS: readonly (readonly [RegExp, CallerKind])[] = [
  [/^\/api\/llm\/openai\//, 'llm-openai-token'],
  [/^\/api\/llm\/anthropic\//, 'llm-anthropic-token'],
  [/^\/api\/endpoints\/token\//, 'endpoint-token'],
  [/^\/api\/scim\//, 'api-token'],
];

/** Three of four requests to such an operation come from a caller who may ask. */
const OWN_WEIGHT = [...CALLERS, ...CALLERS, ...CALLERS];

let scene: AccessScene;
let described: DescribedOperation[];
let check: AnswerCheck;
let known: KnownValues;
let document: unknown;
beforeAll(async () => {
  scene = await AccessScene.start();
  await addEndpoints();
  const { bystander, team } = scene.uids;
  for (const path of [`/api/users/user/${bystander}`, `/api/groups/group/${team}`]) {
    expect((await scene.people.as('admin', 'PUT', path, { source: 'scim' })).status).toBe(200);
  }
  const { json } = await scene.people.as('admin', 'GET', '/api/openapi.json');
  described = describedOperations(json).filter(({ id }) => !id.startsWith('run.system/'));
  check = new AnswerCheck(json);
  const ids = [await scene.spareToken(), await deploymentId()];
  known = { ...knownValues(ids), ...(await oauthValues()) };
  document = json;
});
afterAll(() => scene[Symbol.asyncDispose]());

/** Endpoints of every kind, one of which fails now and then. */
async function addEndpoints(): Promise<void> {
  const input = 'export const input = z.object({ times: z.int().min(0).max(9) });\n';
  const of = (body: string) =>
    `export default async function ({ body }: Scope<{ times: number }>) { ${body} }`;
  const endpoints = [
    { name: 'ours/checked', code: input + of('return { twice: body.times * 2 };') },
    { name: 'ours/failing', code: of("throw new Error('no');") },
    { name: 'ours/slow', code: of('return body;'), mode: 'pooling' },
    { name: 'ours/kept', code: of('return body;'), isReadOnly: true, cacheSeconds: 60 },
  ];
  for (const endpoint of endpoints) {
    const { text, json } = await scene.people.as(
      'admin',
      'POST',
      '/api/endpoints/create',
      endpoint,
    );
    expect(Object(json).compiles, text).toBe(true);
  }
  const task = { name: 'fuzzed', cron: '@yearly', endpoint: 'ours/echo' };
  const migration = { name: 'fuzzed', code: 'export default async () => 1;' };
  const code = 'export const one = 1;';
  const modules = ['fuzzed', 'ours/echo', 'ours/spare'].map((name) => ({ name, code }));
  for (const [path, body] of [
    ['/api/admin/tasks', task],
    ['/api/migrations', migration],
    ...modules.map((module) => ['/api/modules/create', module] as const),
  ] as const) {
    const { status, text } = await scene.people.as('admin', 'POST', path, body);
    expect(status, text).toBe(201);
  }
}

async function deploymentId(): Promise<string> {
  const { workspace } = scene.people;
  const zip = await zipOf({ ...MANIFEST, 'workspace-settings.json': '{"name": "Ours"}' });
  const { applied, deploymentId: id } = await new DefinitionsScene(workspace).import(zip);
  expect(applied).toBe(true);
  return String(id);
}

/** An MCP client that has registered, and waits for a user. */
async function oauthValues(): Promise<Record<string, readonly unknown[]>> {
  const { http } = scene.people.workspace;
  const redirect_uri = 'https://client.example/callback';
  const body = { redirect_uris: [redirect_uri] };
  const { json } = await http.send({ path: '/api/oauth/register', body });
  const asked = {
    response_type: 'code',
    client_id: field(json, 'client_id'),
    redirect_uri,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  };
  const query = new URLSearchParams(asked).toString();
  const { headers } = await http.send({ path: `/api/oauth/authorize?${query}` });
  const request = headers.get('location')?.split('request=')[1];
  expect(request).toBeDefined();
  const values = Object.entries({ ...asked, ...body, request });
  return Object.fromEntries(values.map(([name, value]) => [name, [value]]));
}

function knownValues(ids: readonly string[]): Record<string, readonly unknown[]> {
  const { bystander, leaver, team, node, file } = scene.uids;
  const uids = [bystander, leaver, team, node, file, '1'.repeat(22)];
  const code = 'export default async () => 1;\n';
  return {
    uid: uids,
    uids,
    messageuid: uids,
    chatuid: uids,
    groupuid: [team, node],
    users: [bystander, leaver],
    teams: [team],
    add: [bystander],
    remove: [bystander],
    admins: [bystander],
    user: ['bystander', bystander, 'admin'],
    node: [node],
    type: ['Note', 'Word', '_User'],
    field: ['Text', 'Name'],
    fields: ['Text', 'Name'],
    key: ['n', 'kept', 'other'],
    endpoint: ['ours/echo', 'ours/spare'],
    name: ['ours/echo', 'ours/spare', 'ours/failing', 'ours/none', 'questions', 'Ours', 'fuzzed'],
    cron: ['@daily', '0 3 * * *', '0 25 * * *'],
    timezone: ['UTC', 'Europe/Berlin', 'Nowhere'],
    code: [code, 'export default 1 +;', `export default async ({ graph }: Scope) => graph.nope();`],
    lang: ['en', '--'],
    id: ['none', 'User', ...ids, bystander, team],
    filter: ['userName eq "bystander"', 'active eq true and not (userName co "x")', 'emails['],
    startindex: ['1', '3', '-1'],
    count: ['10', '0', 'x'],
    username: Array.from({ length: 8 }, (_, i) => `fuzzed-${i}`),
    displayname: Array.from({ length: 8 }, (_, i) => `Fuzzed ${i}`),
    path: [
      'displayName',
      'externalId',
      'name.givenName',
      'emails[type eq "work"].value',
      'members',
    ],
    value: ['Fuzzed', 'fuzzed@example.com', true],
    'if-match': ['*', '"none"'],
    version: [1, 2],
    actinguser: [bystander],
  };
}

/** What the lists name, for the paths that go on from theirs, such as "/api/webhooks/id". */
async function listed(): Promise<KnownValues> {
  const lists = described.filter(
    ({ method, path, responses }) =>
      method === 'GET' &&
      !path.includes('{') &&
      'application/json' in (responses['200']?.content ?? {}),
  );
  const named: Record<string, unknown[]> = {};
  for (const { path } of lists) {
    const { json } = await scene.people.as('admin', 'GET', path);
    const items: unknown = Array.isArray(json) ? json : Object(json).items;
    if (!Array.isArray(items)) continue;
    for (const item of items.slice(0, LISTED_MAX)) {
      const { name, id, uid = Object(item).UID } = Object(item);
      for (const [parameter, value] of Object.entries({ name, id, uid })) {
        if (typeof value === 'string') (named[`${path}/${parameter}`] ??= []).push(value);
      }
    }
  }
  return named;
}

/** Sends it, and reads the answer: of events only that they come. */
async function ask(request: FuzzedRequest, caller: CallerKind): Promise<SeenAnswer> {
  const token = scene.token(caller);
  const url = new URL(request.path, scene.people.workspace.server.url);
  const response = await fetch(url, {
    method: request.operation.method,
    redirect: 'manual',
    headers: {
      ...request.headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(request.body === undefined ? {} : { body: request.body }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const { status, headers } = response;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream) await response.body?.cancel();
  return { status, headers, text: isStream ? '' : await response.text() };
}

/** The faults, each once with the first request that has it. */
class Faults {
  readonly #seen = new Map<string, string>();
  readonly statuses = new Map<string, Set<number>>();

  note(request: FuzzedRequest, caller: CallerKind, answer: SeenAnswer): void {
    const { id } = request.operation;
    const statuses = this.statuses.get(id) ?? new Set();
    this.statuses.set(id, statuses.add(answer.status));
    const fault = check.fault(request.operation, answer);
    if (fault === undefined) return;
    const body = typeof request.body === 'string' ? request.body.slice(0, 500) : '';
    const what = `${id} answers ${answer.status} to ${caller}: ${fault}`;
    const key = `${id} ${answer.status} ${fault.slice(0, 60)}`;
    if (!this.#seen.has(key)) this.#seen.set(key, `${what}\n  ${request.path} ${body}`);
  }

  list(): string[] {
    return [...this.#seen.values()];
  }
}

/** One request to each operation after the other; those that take things away come last. */
function inOrder(requests: readonly (readonly PlannedRequest[])[]): PlannedRequest[] {
  const rank = ([{ operation }]: PlannedRequest): number => {
    if (LAST.includes(operation.id)) return 2;
    return TAKES_AWAY.test(operation.id) ? 1 : 0;
  };
  const rounds = Array.from({ length: REQUESTS }, (_, round) =>
    requests.flatMap((some) => some.slice(round, round + 1)),
  );
  return rounds.flat().toSorted((a, b) => rank(a) - rank(b));
}

type PlannedRequest = readonly [FuzzedRequest, CallerKind];

test('what can be asked of every operation is answered as it is described', async () => {
  const faults = new Faults();
  let times = 1_000;
  for (const row of operations.filter((one) => !LAST.includes(one.id))) {
    const operation = described.find((one) => one.id === row.id);
    if (operation === undefined) throw new Error(`${row.id} is not described`);
    for (const caller of CALLER_KINDS) {
      const { method, path, body, form } = await sampleRequest(row, scene, ++times);
      const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
      const text = form === undefined ? JSON.stringify(body) : new URLSearchParams(form).toString();
      const headers: Record<string, string> = text === undefined ? {} : { 'content-type': type };
      const request = { operation: { ...operation, method }, path, headers, body: text };
      faults.note(request, caller, await ask(request, caller));
    }
  }
  expect(faults.list()).toEqual([]);
});

test(`${REQUESTS} requests to each operation are answered as it is described`, async () => {
  const faults = new Faults();
  const values = new SchemaValues(document, { ...known, ...(await listed()) });
  const samples = new Map<string, unknown>();
  for (const row of operations) {
    samples.set(row.id, (await sampleRequest(row, scene, samples.size)).body);
  }
  const requests = described.map((operation, at) => {
    const own = OWN_CALLERS.find(([path]) => path.test(operation.path))?.[1];
    const callers = own === undefined ? CALLERS : [...CALLERS, ...OWN_WEIGHT.map(() => own)];
    const request = fc.tuple(
      requestsTo(operation, values, samples.get(operation.id)),
      fc.constantFrom(...callers),
    );
    return fc.sample(request, { numRuns: REQUESTS, seed: seed() + at });
  });
  const next = inOrder(requests)[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const [request, caller] of next) faults.note(request, caller, await ask(request, caller));
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  expect(faults.list()).toEqual([]);
  const answered = [...faults.statuses.values()].filter((seen) => Math.min(...seen) < 400);
  expect(answered.length, 'requests are good ones, too').toBeGreaterThan(described.length * 0.6);
  expect((await scene.people.workspace.http.send({ path: '/api/graph/ready' })).json).toBe(true);
}, 3_600_000);

test('an answer that is not as it is described is found', () => {
  const operation = described.find(({ id }) => id === 'getNode')!;
  const headers = new Headers({
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': 'x',
    'x-msk-sequence': '1',
  });
  const node = { UID: 'u', Type: 'Note', Timestamp: '2026-01-01T00:00:00.000Z' };
  const missing = { error: { code: 'node_not_found', message: 'm' }, traceId: 't' };
  const of = (status: number, body: unknown, more: Headers = headers) =>
    check.fault(operation, {
      status,
      headers: more,
      text: body === '' ? '' : JSON.stringify(body),
    });
  expect(of(200, node)).toBeUndefined();
  expect(of(404, missing)).toBeUndefined();
  expect(of(418, node)).toMatch(/status is not described/);
  expect(of(500, missing)).toMatch(/^500/);
  expect(of(200, { ...node, UID: 7 })).toMatch(/UID must be string/);
  expect(of(200, '')).toBe('the body is empty');
  expect(of(404, { ...missing, error: { ...missing.error, code: 'chat_not_found' } })).toMatch(
    /code/,
  );
  expect(of(200, node, new Headers({ 'x-request-id': 'x', 'content-type': 'text/csv' }))).toMatch(
    /content type text\/csv/,
  );
  expect(of(200, node, new Headers({ 'content-type': 'application/json' }))).toMatch(
    /X-Request-Id/,
  );
});
