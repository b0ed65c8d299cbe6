import { expect, it } from 'vitest';
import { trellis } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

const CLIENT = {
  id: '5f0c6a1be2d94c7780a1b2c3',
  name: 'Desk',
  redirectUris: ['http://127.0.0.1/back', 'desk:/back'],
  createdBy: null,
  registeredAt: '2026-11-20T00:00:00.000Z',
  grants: 2,
  lastUsedAt: null,
};
const GRANT = {
  id: '4sD1qk2Qm8xLr7bTz9NcVw',
  actingUser: '1111111111111111111112',
  createdAt: '2026-11-21T00:00:00.000Z',
  lastUsedAt: '2026-11-22T00:00:00.000Z',
};
const listOf = (item: object) => ({ body: { items: [item], total: 1, skip: 0, take: 1_000 } });

async function start() {
  const service = await startService({
    'GET /api/oauth/clients': () => listOf(CLIENT),
    [`GET /api/oauth/clients/${CLIENT.id}/grants`]: () => listOf(GRANT),
    'POST /api/oauth/clients': () => ({
      status: 201,
      body: { client_id: 'sealed', client_name: 'Desk' },
    }),
    [`DELETE /api/oauth/clients/${CLIENT.id}`]: () => ({ status: 204 }),
  });
  return { service, server: ['--server', service.url] };
}

const rowsOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

it('lists clients, and as whom each acts', async () => {
  const { server } = await start();
  const list = await trellis(['oauth-client', 'list', ...server]);
  expect([list.code, rowsOf(list.stdout)]).toEqual([
    0,
    [
      ['ID', 'NAME', 'LEADS TO', 'USERS', 'LAST USED'],
      [CLIENT.id, 'Desk', CLIENT.redirectUris.join(' '), '2', 'never'],
    ],
  ]);
  const grants = await trellis(['oauth-client', 'grants', CLIENT.id, ...server]);
  expect([grants.code, rowsOf(grants.stdout).at(-1)]).toEqual([0, Object.values(GRANT)]);
});

it('registers one, and withdraws one', async () => {
  const { service, server } = await start();
  const named = ['oauth-client', 'create', 'Desk', '--redirect', ...CLIENT.redirectUris];
  const created = await trellis([...named, ...server]);
  expect([created.code, created.stdout.trim()]).toEqual([0, 'sealed']);
  expect(JSON.parse(service.requests.at(-1)?.body ?? '')).toEqual({
    client_name: 'Desk',
    redirect_uris: CLIENT.redirectUris,
  });
  const withdrawn = await trellis(['oauth-client', 'withdraw', CLIENT.id, '--json', ...server]);
  expect(JSON.parse(withdrawn.stdout)).toEqual({ id: CLIENT.id, withdrawn: true });
});
