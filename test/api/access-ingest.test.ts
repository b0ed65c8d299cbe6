import { afterAll, beforeAll, expect, test } from 'vitest';
import { field, type Answer } from '../support/http-client.ts';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const PASSWORD = 'correct horse battery';
/** The keys of the books that the caller sees, and whom the first of them is written by. */
const SEEN = `export default async function ({ q }: Scope) {
  const books = await q().asUser().startAt('Book').nodes();
  return books.map((book) => book.Isbn).sort();
}
`;
/** What endpoint code can do: restrict a book to a user, or lift what restricts it. */
const RESTRICTS = `export default async function ({ body, graph }: Scope<{ isbn: string; user?: string }>) {
  const book = await graph.get('Book', body.isbn);
  const { user } = body;
  if (user === undefined) return graph.unrestrict(book);
  await graph.transaction((tx) => { tx.restrict(book, { user }); });
}
`;

let workspace: TestWorkspace;
let ann = { uid: '', token: '' };
let bob = { uid: '', token: '' };
let aclToken = '';
let plainToken = '';

beforeAll(async () => {
  workspace = await startWorkspace();
  expect((await admin('PUT', '/api/schema', LIBRARY_SCHEMA)).status).toBe(200);
  ann = await createUser('ann');
  bob = await createUser('bob');
  plainToken = await createToken(['ingestion']);
  aclToken = await createToken(['ingestion', 'ingestion:acl']);
  await admin('POST', '/api/endpoints/create', { name: 'acl/seen', code: SEEN });
  await admin('POST', '/api/endpoints/create', { name: 'acl/restrict', code: RESTRICTS });
  const made = await ingest(plainToken, ['open', 'a', 'b'].map(book));
  expect(made.status).toBe(200);
});
afterAll(() => workspace[Symbol.asyncDispose]());

function send(token: string, method: string, path: string, body?: unknown): Promise<Answer> {
  return workspace.http.send({ method, path, token, body });
}

function admin(method: string, path: string, body?: unknown): Promise<Answer> {
  return send(workspace.token, method, path, body);
}

function ingest(token: string, operations: readonly unknown[]): Promise<Answer> {
  return send(token, 'POST', '/api/ingest', { operations });
}

function ingestLines(token: string, operations: readonly unknown[]): Promise<Answer> {
  const body = operations.map((operation) => JSON.stringify(operation)).join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  return workspace.http.send({ method: 'POST', path: '/api/ingest', token, body, headers });
}

async function createUser(userName: string): Promise<{ uid: string; token: string }> {
  const user = { userName, email: `${userName}@example.com`, password: PASSWORD };
  const uid = field((await admin('POST', '/api/users', user)).json, 'UID');
  return { uid, token: await workspace.http.signIn(userName, PASSWORD) };
}

async function createToken(scopes: readonly string[]): Promise<string> {
  const request = { kind: 'api', name: scopes.join(' '), scopes };
  return field((await admin('POST', '/api/tokens', request)).json, 'token');
}

const book = (key: string) => ({ op: 'addOrUpdate', type: 'Book', key, fields: { Title: key } });
const ref = (key: string) => ({ type: 'Book', key });
const team = (key: string) => ({ type: '_AccessGroup', key });

async function seenBy(token: string): Promise<unknown> {
  return (await send(token, 'POST', '/api/endpoints/run/acl/seen')).json;
}

test('a token with ingestion:acl makes teams, nests them and restricts nodes', async () => {
  const answer = await ingest(aclToken, [
    { op: 'addOrUpdate', ...team('inner'), fields: { Name: 'Inner' } },
    { op: 'addOrUpdate', ...team('outer'), fields: { Name: 'Outer', Description: 'of inner' } },
    { op: 'addToTeam', team: team('inner'), user: { uid: ann.uid } },
    { op: 'addToTeam', team: team('outer'), member: team('inner') },
    { op: 'restrict', node: ref('a'), team: team('outer') },
  ]);
  expect(answer.json).toMatchObject({ nodes: 2, edges: 5, commits: 1 });
  expect(await seenBy(ann.token)).toEqual(['a', 'b', 'open']);
  expect(await seenBy(bob.token)).toEqual(['b', 'open']);
  expect(await seenBy(workspace.token)).toEqual(['a', 'b', 'open']);
});

test('a stream does the same, and takes it back', async () => {
  const restrict = { op: 'restrict', node: ref('b'), user: { uid: bob.uid } };
  expect((await ingestLines(aclToken, [book('c'), restrict])).status).toBe(200);
  expect(await seenBy(ann.token)).toEqual(['a', 'c', 'open']);
  expect(await seenBy(bob.token)).toEqual(['b', 'c', 'open']);
  const back = [
    { op: 'unrestrict', node: ref('b') },
    { op: 'removeFromTeam', team: team('inner'), user: { uid: ann.uid } },
  ];
  expect((await ingestLines(aclToken, back)).status).toBe(200);
  expect(await seenBy(ann.token)).toEqual(['b', 'c', 'open']);
  expect((await ingest(aclToken, [{ op: 'unrestrict', node: ref('a') }])).status).toBe(200);
  expect(await seenBy(bob.token)).toEqual(['a', 'b', 'c', 'open']);
});

test.each([
  ['restrict', () => ({ op: 'restrict', node: ref('open'), user: { uid: ann.uid } })],
  ['unrestrict', () => ({ op: 'unrestrict', node: ref('open') })],
  ['addToTeam', () => ({ op: 'addToTeam', team: team('outer'), user: { uid: bob.uid } })],
  [
    'a link of access',
    () => ({
      op: 'link',
      from: ref('open'),
      edge: 'RestrictAccessToUser',
      to: { uid: ann.uid },
    }),
  ],
  ['a team', () => ({ op: 'addOrUpdate', ...team('mine') })],
])('%s with ingestion alone is 403, names the scope and applies nothing', async (_, operation) => {
  for (const way of [ingest, ingestLines]) {
    const answer = await way(plainToken, [book('refused'), operation()]);
    expect(answer.status).toBe(403);
    expect(answer.json).toMatchObject({
      error: { code: 'forbidden', details: { index: 1, scope: 'ingestion:acl' } },
    });
    expect(await seenBy(bob.token)).toEqual(['a', 'b', 'c', 'open']);
  }
});

test('an administrator may do it in a session, nobody else', async () => {
  const restrict = { op: 'restrict', node: ref('open'), user: { uid: ann.uid } };
  expect((await ingest(ann.token, [restrict])).status).toBe(403);
  expect((await ingest(workspace.token, [restrict])).status).toBe(200);
  expect(await seenBy(bob.token)).toEqual(['a', 'b', 'c']);
  expect((await ingest(workspace.token, [{ op: 'unrestrict', node: ref('open') }])).status).toBe(
    200,
  );
  expect(await seenBy(bob.token)).toEqual(['a', 'b', 'c', 'open']);
});

test('a built-in node is not restricted, and a team not nested in itself: 422', async () => {
  for (const operation of [
    { op: 'restrict', node: { uid: ann.uid }, team: team('outer') },
    { op: 'addToTeam', team: team('inner'), member: team('outer') },
  ]) {
    const answer = await ingest(aclToken, [book('refused'), operation]);
    expect([answer.status, field(answer.json, 'error', 'code')]).toEqual([
      422,
      'invalid_operation',
    ]);
  }
  expect(await seenBy(bob.token)).not.toContain('refused');
});

test('a team that nodes are restricted to is not deleted: 409', async () => {
  await ingest(aclToken, [{ op: 'restrict', node: ref('a'), team: team('outer') }]);
  const refused = await ingest(aclToken, [{ op: 'delete', ...team('outer') }]);
  expect(refused.status).toBe(409);
  expect(refused.json).toMatchObject({ error: { code: 'team_in_use', details: { nodes: 1 } } });
  expect(await seenBy(bob.token)).toEqual(['b', 'c', 'open']);
  const done = await ingest(aclToken, [
    { op: 'unrestrict', node: ref('a') },
    { op: 'delete', ...team('outer') },
  ]);
  expect(done.status).toBe(200);
  expect(await seenBy(bob.token)).toEqual(['a', 'b', 'c', 'open']);
});

test('endpoint code restricts and lifts', async () => {
  const run = (body: object) => admin('POST', '/api/endpoints/run/acl/restrict', body);
  expect((await run({ isbn: 'a', user: bob.uid })).status).toBeLessThan(300);
  expect(await seenBy(ann.token)).toEqual(['b', 'c', 'open']);
  expect(await seenBy(bob.token)).toEqual(['a', 'b', 'c', 'open']);
  expect((await run({ isbn: 'a' })).json).toEqual({ UID: null, changed: true });
  expect(await seenBy(ann.token)).toEqual(['a', 'b', 'c', 'open']);
});

test('who changes access by ingestion or by an endpoint leaves a trace, once for each commit', async () => {
  const traces = async () => {
    const answer = await admin('GET', '/api/audit?action=access.written&take=1000');
    return Object(answer.json).items as Record<string, unknown>[];
  };
  const before = (await traces()).length;
  await ingest(plainToken, [book('a')]);
  await ingest(aclToken, [book('a')]);
  expect((await traces()).length).toBe(before);

  const restriction = { op: 'restrict', node: ref('a'), user: { uid: ann.uid } };
  expect((await ingest(aclToken, [restriction])).json).toMatchObject({ nodes: 0, edges: 1 });
  await ingest(aclToken, [restriction]);
  await ingestLines(aclToken, [{ ...restriction, op: 'unrestrict' }]);
  await admin('POST', '/api/endpoints/run/acl/restrict', { isbn: 'b', user: bob.uid });
  await admin('POST', '/api/endpoints/run/acl/restrict', { isbn: 'b' });
  const added = (await traces()).slice(0, -before || undefined);
  expect(
    added.map(({ actor, target, details }) => [Object(actor).name, Object(target).kind, details]),
  ).toEqual([
    ['admin', 'session', { via: 'endpoint', endpoint: 'acl/restrict' }],
    ['admin', 'session', { via: 'endpoint', endpoint: 'acl/restrict' }],
    [undefined, 'token', { via: 'ingestion' }],
    [undefined, 'token', { via: 'ingestion' }],
  ]);
});
