import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobEvent } from '@trellis/client/methods/logs.ts';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
let client: TrellisClient;
beforeAll(async () => {
  workspace = await startWorkspace();
  client = new TrellisClient({ baseUrl: workspace.server.url, token: workspace.token });
});
afterAll(() => workspace[Symbol.asyncDispose]());

/** What a session hears over its WebSocket from now on. */
async function listen(): Promise<{ readonly heard: unknown[]; close(): void }> {
  const socket = new WebSocket(`${workspace.server.url.replace('http', 'ws')}/api/ws`);
  const heard: unknown[] = [];
  await new Promise((resolve) => {
    socket.addEventListener('open', () => socket.send(JSON.stringify({ token: workspace.token })));
    socket.addEventListener('message', resolve, { once: true });
  });
  socket.addEventListener('message', ({ data }) => heard.push(JSON.parse(String(data))));
  return { heard, close: () => socket.close() };
}

test('a change of the schema has the endpoints checked again, as a job', async () => {
  const { heard, close } = await listen();
  const schema = { method: 'PUT', path: '/api/schema', body: LIBRARY_SCHEMA };
  await workspace.http.send({ ...schema, token: workspace.token });
  const { items } = await client.jobs.list({ kind: 'endpoint-recheck' });
  const [job] = items;
  expect(job).toMatchObject({ kind: 'endpoint-recheck', isCancellable: false });

  const events: JobEvent[] = [];
  for await (const event of client.jobs.watch(job!.id)) events.push(event);
  const states = events.flatMap((event) => (event.kind === 'job' ? [event.job] : []));
  expect(states.at(-1)).toMatchObject({ id: job!.id, state: 'succeeded', progress: 1 });
  const progress = states.map((state) => state.progress);
  expect(progress).toEqual(progress.toSorted((one, other) => one - other));
  expect(await client.jobs.get(job!.id)).toEqual({ ...states.at(-1), log: [] });

  const told = heard
    .map((message) => Object(message))
    .filter(({ type }) => type !== 'VIEW_CHANGED');
  expect(new Set(told.map(({ type }) => type))).toEqual(new Set(['JOB_CHANGED']));
  await expect
    .poll(() => heard.findLast((message) => Object(message).type === 'JOB_CHANGED'))
    .toMatchObject({ type: 'JOB_CHANGED', job: { id: job!.id, state: 'succeeded' } });
  close();
});

test('who comes back gets what is new: of a job that has ended, its end', async () => {
  const [job] = (await client.jobs.list()).items;
  const path = `/api/jobs/${job!.id}/events`;
  const all = await workspace.http.send({ path, token: workspace.token });
  expect(all.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const [, id] = /^id: (\d+)\nevent: job\n/m.exec(all.text) ?? [];
  const headers = { 'last-event-id': String(id) };
  const rest = await workspace.http.send({ path, token: workspace.token, headers });
  expect(rest.text).toBe(':\n\nevent: end\ndata: {}\n\n');
});

test('what cannot be done is refused', async () => {
  const [job] = (await client.jobs.list({ state: 'succeeded' })).items;
  await expect(client.jobs.cancel(job!.id)).rejects.toMatchObject({
    status: 409,
    code: 'job_ended',
  });
  const unknown = { status: 404, code: 'job_not_found' };
  await expect(client.jobs.cancel('none')).rejects.toMatchObject(unknown);
  await expect(client.jobs.get('none')).rejects.toMatchObject(unknown);
  await expect(client.jobs.watch('none').next()).rejects.toMatchObject(unknown);
  const path = '/api/jobs?state=over';
  const { status } = await workspace.http.send({ path, token: workspace.token });
  expect(status).toBe(400);
});
