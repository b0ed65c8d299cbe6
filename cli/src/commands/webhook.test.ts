import { expect, it } from 'vitest';
import { trellis } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

const AT = '2026-11-20T03:00:00.000Z';
const SECRET = 'whsec_of_a_test';
const WEBHOOK = {
  id: '1111111111111111111112',
  name: 'crm',
  url: 'https://crm.example.com/x',
  types: ['Task'],
  edges: null,
  actions: ['created'],
  asUser: null,
  payload: 'full',
  enabled: true,
  state: 'active',
  reason: null,
  position: 40,
  attempts: 0,
  nextAttemptAt: null,
  lastDeliveredAt: AT,
  missed: null,
  createdAt: AT,
  createdBy: null,
};
const DELIVERY = {
  id: 'msg_1',
  type: 'graph.changed',
  sequence: 40,
  part: 1,
  changes: 2,
  status: 'delivered',
  attempts: 1,
  firstAttemptAt: AT,
  lastAttemptAt: AT,
  durationMs: 7,
  response: { status: 204, body: '' },
  error: null,
};
const FAILED = {
  ...DELIVERY,
  type: 'webhook.test',
  status: 'failed',
  response: null,
  error: 'it took too long',
};
const OTHER = {
  ...WEBHOOK,
  id: '1111111111111111111113',
  name: 'shop',
  types: null,
  actions: null,
  state: 'paused',
  reason: 'It answers 410',
  lastDeliveredAt: null,
};
const BASE = '/api/webhooks';
const ONE = `${BASE}/${WEBHOOK.id}`;

async function start() {
  const items = [WEBHOOK, OTHER];
  const service = await startService({
    [`GET ${BASE}`]: () => ({ body: { items, total: 2, skip: 0, take: 1_000 } }),
    [`POST ${BASE}`]: () => ({ status: 201, body: { ...WEBHOOK, secret: SECRET } }),
    [`PUT ${ONE}`]: () => ({ body: { ...WEBHOOK, state: 'disabled' } }),
    [`DELETE ${ONE}`]: () => ({ status: 204 }),
    [`GET ${ONE}/deliveries`]: () => ({
      body: { items: [FAILED, DELIVERY], total: 2, skip: 0, take: 20 },
    }),
    [`POST ${ONE}/replay`]: () => ({ body: WEBHOOK }),
    [`POST ${ONE}/test`]: () => ({ body: DELIVERY }),
    [`POST ${BASE}/${OTHER.id}/test`]: () => ({ body: FAILED }),
    [`POST ${ONE}/rotate`]: () => ({ body: { ...WEBHOOK, secret: SECRET } }),
  });
  return {
    service,
    run: (...args: string[]) => trellis(['webhook', ...args, '--server', service.url]),
    /** The body of the last request. */
    sent: () => JSON.parse(service.requests.at(-1)?.body ?? '') as unknown,
  };
}

const cells = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

it('lists webhooks with what they tell and how they stand', async () => {
  const { run } = await start();
  const { code, stdout } = await run('list');
  expect([code, cells(stdout)]).toEqual([
    0,
    [
      ['name', 'url', 'state', 'tells', 'last delivered'],
      ['crm', WEBHOOK.url, 'active', 'Task, created', AT],
      ['shop', WEBHOOK.url, 'paused: It answers 410', 'everything'],
    ],
  ]);
  expect(JSON.parse((await run('list', '--json')).stdout)).toEqual([WEBHOOK, OTHER]);
});

it('adds one, and prints the secret alone on standard output', async () => {
  const { run, sent } = await start();
  const added = ['add', 'crm', '--url', WEBHOOK.url, '--types', 'Task', '--actions', 'created'];
  const { code, stdout, stderr } = await run(...added, '--as', WEBHOOK.id, '--payload', 'ids');
  expect([code, stdout]).toEqual([0, `${SECRET}\n`]);
  expect(stderr).not.toContain(SECRET);
  expect(sent()).toEqual({
    name: 'crm',
    url: WEBHOOK.url,
    types: ['Task'],
    actions: ['created'],
    asUser: WEBHOOK.id,
    payload: 'ids',
    enabled: true,
  });
  expect((await run('rotate', 'crm')).stdout).toBe(`${SECRET}\n`);
});

it('changes what an option names, and keeps the rest', async () => {
  const { run, sent } = await start();
  const { stderr } = await run('edit', 'crm', '--types', 'all', '--edges', 'About', '--disable');
  expect(stderr).toContain('is disabled');
  expect(sent()).toEqual({
    name: 'crm',
    url: WEBHOOK.url,
    types: null,
    edges: ['About'],
    actions: ['created'],
    asUser: null,
    payload: 'full',
    enabled: false,
  });
});

it('shows deliveries, replays, tests and deletes', async () => {
  const { run, sent } = await start();
  const { stdout } = await run('deliveries', WEBHOOK.id);
  expect(cells(stdout).slice(1)).toEqual([
    ['test', 'failed', '1', AT, '7', '2', 'it took too long'],
    ['40', 'delivered', '1', AT, '7', '2', '204'],
  ]);
  expect((await run('replay', 'crm', '--from', '41')).code).toBe(0);
  expect(sent()).toEqual({ fromSequence: 41 });
  expect((await run('replay', 'crm', '--from', '-1')).code).toBe(2);
  expect(await run('test', 'crm')).toMatchObject({ code: 0, stderr: 'It arrived (7 ms): 204\n' });
  expect(await run('test', 'shop')).toMatchObject({
    code: 1,
    stderr: 'It did not arrive (7 ms): it took too long\n',
  });
  expect(await run('delete', 'crm')).toMatchObject({ code: 0 });
  expect((await run('show', 'shop')).stdout).toContain('It answers 410');
});

it('says when there is no such webhook', async () => {
  const { run } = await start();
  const { code, stderr } = await run('show', 'none');
  expect([code, stderr]).toEqual([1, expect.stringContaining('no webhook "none"')]);
});
