import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AdminAgentScene, newEndpoint } from '../support/admin-agent-scene.ts';
import { FileScene } from '../support/file-scene.ts';
import { calls, says } from '../support/llm-server.ts';
import type { People } from '../support/people.ts';

/**
 * Far more than the second that is promised, and far less than what is cut would take by itself.
 */
const SOON_MS = 20_000;
const FILE_BYTES = 64 * 1024 * 1024;
const UPLOAD_BYTES = 8 * 1024 * 1024;
const WAITS = `export default async ({ signal }: Scope) =>
  new Promise((done) => signal.addEventListener('abort', () => done(null)));
`;

const deactivate = (people: People, who: string) =>
  people.as('admin', 'POST', `/api/users/user/${people.uid(who)}/deactivate`);
const demote = (people: People, who: string) =>
  people.as('admin', 'PUT', `/api/users/user/${people.uid(who)}`, { isAdmin: false });
const WAYS = [
  ['deactivated', deactivate, 'invalid_token'],
  ['demoted', demote, 'forbidden'],
] as const;

let boss = '';
let users = 0;
const hire = async (people: People): Promise<void> => {
  boss = `boss${++users}`;
  await people.add(boss, { isAdmin: true });
};

describe('files and jobs', () => {
  let at: FileScene;
  let large = '';
  beforeAll(async () => {
    at = await FileScene.start();
    large = await at.uploaded(at.notes.open, 'large.txt', Buffer.alloc(FILE_BYTES, 'x'));
    const endpoint = { name: 'waits', code: WAITS, timeoutMs: 60_000 };
    await at.ok('admin', 'POST', '/api/endpoints/create', endpoint);
    const task = { name: 'waiting', cron: '0 0 1 1 *', endpoint: 'waits' };
    await at.ok('admin', 'POST', '/api/admin/tasks', task);
  });
  afterAll(() => at[Symbol.asyncDispose]());
  beforeEach(() => hire(at.people));

  test.each(WAYS)('a download breaks off when its user is %s', async (_how, end) => {
    const answer = await at.send(`/api/files/${large}/content`, {}, boss);
    const reader = answer.body!.getReader();
    let bytes = (await reader.read()).value?.length ?? 0;
    await end(at.people, boss);
    const rest = async (): Promise<string> => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return 'whole';
        bytes += value.length;
        // A slow client: something else is answered between two pieces.
        await at.workspace.http.send({ path: '/health' });
      }
    };
    expect(await rest().catch(() => 'cut')).toBe('cut');
    expect(bytes).toBeLessThan(FILE_BYTES);
  });

  test.each(WAYS)('an upload that still arrives is refused: %s', async (_how, end, code) => {
    const wanted = { name: 'begun.txt', size: UPLOAD_BYTES, contentType: 'text/plain' };
    const { id } = await at.ok(boss, 'POST', `/api/node/${at.notes.open}/uploads`, wanted);
    const part = Buffer.alloc(UPLOAD_BYTES / 2, 'x');
    const sockets = [
      await at.beginAppend(id, UPLOAD_BYTES, part, boss),
      await at.beginUpload(at.notes.open, UPLOAD_BYTES, part, boss),
    ];
    const told = Promise.all(sockets.map(untilClosed));
    await end(at.people, boss);
    for (const text of await told) expect(text).toContain(code);
    const { items } = await at.ok('admin', 'GET', `/api/node/${at.notes.open}/files`);
    expect(items).toHaveLength(1);
  });

  test.each(WAYS)('events of a job end with who watches it: %s', async (_how, end) => {
    const { id } = await at.ok('admin', 'POST', '/api/admin/tasks/waiting/run');
    const headers = { accept: 'text/event-stream' };
    const signal = AbortSignal.timeout(SOON_MS);
    const watch = await at.send(`/api/jobs/${id}/events`, { headers, signal }, boss);
    expect(watch.status).toBe(200);
    await end(at.people, boss);
    await watch.text();
    expect(await at.ok('admin', 'GET', `/api/jobs/${id}`)).toMatchObject({ state: 'running' });
    await at.ok('admin', 'POST', `/api/jobs/${id}/cancel`);
    // The task runs once at a time, and the next case begins it again.
    const state = async () => (await at.ok('admin', 'GET', `/api/jobs/${id}`))['state'];
    await expect.poll(state).toBe('cancelled');
  });
});

describe('the agent of administrators', () => {
  let at: AdminAgentScene;
  /** Holds what the provider says back until the test is over. */
  let held: PromiseWithResolvers<void>;
  beforeAll(async () => {
    at = await AdminAgentScene.start();
  });
  afterAll(() => at[Symbol.asyncDispose]());
  beforeEach(async () => {
    held = Promise.withResolvers();
    await hire(at.people);
  });
  afterEach(() => held.resolve());

  test.each(WAYS)(
    'ends its turn with its user, and proposes nothing: %s',
    async (_how, end, code) => {
      const session = await at.begin(boss);
      const changes = [newEndpoint(`late-${boss}`)];
      const turn = calls(['propose', { summary: 'As asked.', changes }]);
      at.script({ ...turn, gate: held.promise }, says('Proposed.'));
      const answering = at.ask(session, 'Do it.', boss);
      await at.provider.received(1);
      await end(at.people, boss);
      const { status, text } = await answering;
      expect([status, text]).toEqual([
        code === 'forbidden' ? 403 : 401,
        expect.stringContaining(code),
      ]);
      await at.provider.left(1);
      held.resolve();
      expect(at.provider.requests).toHaveLength(1);
      expect((await at.approve(session)).status).not.toBe(200);
    },
  );

  test('writes no more of a proposal once its administrator is demoted', async () => {
    const session = await at.begin(boss);
    const changes = [newEndpoint(`proposed-${boss}`)];
    at.script(calls(['propose', { summary: 'As asked.', changes }]), says('Proposed.'));
    expect((await at.ask(session, 'Do it.', boss)).status).toBe(200);
    await demote(at.people, boss);
    const approved = await at.send(`${session}/commit/approve`, { method: 'POST' }, boss);
    expect(approved.status).toBe(403);
    const path = `/api/endpoints/run/proposed-${boss}`;
    expect((await at.people.as('admin', 'POST', path, { word: 'x' })).status).toBe(404);
  });
});

/** All that is answered until the connection is closed. */
async function untilClosed(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => reject(new Error('the connection was not closed')), SOON_MS);
  let text = '';
  socket.on('data', (piece) => (text += piece.toString('latin1')));
  socket.on('close', () => resolve(text));
  return promise.finally(() => clearTimeout(timer));
}
