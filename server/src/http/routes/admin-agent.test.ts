import { once } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { Problem } from '#base/problem.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

const APPROVE = '/api/admin-agent/sessions/1/commit/approve';
const DONE = { committed: [], failed: null, notCommitted: [] };

const open: TestServer[] = [];
afterEach(async () => {
  for (const at of open.splice(0)) await at.server.close();
});

async function start(): Promise<TestServer> {
  const at = await startTestServer({ timeouts: { eventStreamHeartbeat: 10 } });
  open.push(at);
  return at;
}

/** An approval that has said one thing, and is done when it is told to be. */
function heldApproval(at: TestServer) {
  const held = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const { adminAgent } = at.services;
  vi.spyOn(adminAgent, 'approve').mockImplementation(async (_caller, _id, _approval, watch) => {
    watch.onAccepted();
    watch.log('Begun.');
    await held.promise;
    watch.log('Done.');
    ended.resolve();
    return DONE;
  });
  return { finish: held.resolve, ended: ended.promise };
}

function approve(at: TestServer, signal?: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${at.tokens.admin}` };
  return fetch(at.url + APPROVE, { method: 'POST', headers, signal: signal ?? null });
}

it('a commit that says nothing for a while is kept alive by comments', async () => {
  const at = await start();
  const { finish } = heldApproval(at);
  let text = '';
  for await (const piece of (await approve(at)).body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.endsWith(':\n\n:\n\n')) finish();
  }
  expect(text.replaceAll(/^(:\n\n)+/gm, ':\n\n')).toBe(
    'event: log\ndata: {"text":"Begun."}\n\n:\n\n' +
      'event: log\ndata: {"text":"Done."}\n\n' +
      `event: result\ndata: ${JSON.stringify(DONE)}\n\nevent: done\ndata: {}\n\n`,
  );
});

it('a commit goes on when its client has gone', async () => {
  const at = await start();
  const { finish, ended } = heldApproval(at);
  const leaving = new AbortController();
  const response = await approve(at, leaving.signal);
  leaving.abort();
  await expect(response.text()).rejects.toMatchObject({ name: 'AbortError' });
  finish();
  await ended;
});

it('what is refused before the work begins is an ordinary status, and later an event', async () => {
  const at = await start();
  const { adminAgent } = at.services;
  const approval = vi
    .spyOn(adminAgent, 'approve')
    .mockRejectedValue(new Problem('access_widened', 'More.', { details: { items: [] } }));
  const refused = await at.request('POST', APPROVE, { as: 'admin' });
  expect([refused.status, refused.headers.get('content-type')]).toEqual([
    409,
    'application/json; charset=utf-8',
  ]);
  approval.mockImplementation(async (_caller, _id, _approval, { onAccepted }) => {
    onAccepted();
    throw new Error('secret of the inside');
  });
  const { status, text } = await at.request('POST', APPROVE, { as: 'admin' });
  expect(status).toBe(200);
  expect(text).toMatch(
    /^event: error\ndata: \{"error":\{"code":"internal_error".*\n\nevent: done\n/,
  );
  expect(text).not.toContain('secret');
});

it('a turn stops when its client leaves', async () => {
  const at = await start();
  const stopped = Promise.withResolvers<void>();
  vi.spyOn(at.services.adminAgent, 'ask').mockImplementation(async (_id, { signal, onBegin }) => {
    onBegin?.();
    await once(signal, 'abort');
    stopped.resolve();
    throw signal.reason;
  });
  const leaving = new AbortController();
  const response = await fetch(`${at.url}/api/admin-agent/sessions/1/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${at.tokens.admin}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: '{"message":"Hello"}',
    signal: leaving.signal,
  });
  leaving.abort();
  await expect(response.text()).rejects.toMatchObject({ name: 'AbortError' });
  await stopped.promise;
});
