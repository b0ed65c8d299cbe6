import { expect, it } from 'vitest';
import { trellis, trellisAtTerminal } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

const VALUE = 'a-value-that-is-not-shown';
const SECRET = {
  name: 'CRM_KEY',
  hosts: ['crm.example.com', 'test.example.com:8443'],
  endpoints: null,
  changedAt: '2026-11-20T00:00:00.000Z',
  changedBy: '1111111111111111111112',
  lastUsedAt: null,
  isReadable: true,
};
const SECRETS = [
  SECRET,
  { ...SECRET, name: 'LOST', endpoints: ['a', 'b/c'], isReadable: false },
  { ...SECRET, name: 'USED', lastUsedAt: '2026-11-21T00:00:00.000Z' },
];

async function start() {
  const service = await startService({
    'GET /api/secrets': () => ({ body: { items: SECRETS, total: 3, skip: 0, take: 1000 } }),
    'PUT /api/secrets/CRM_KEY': () => ({ body: SECRET }),
    'DELETE /api/secrets/CRM_KEY': () => ({ status: 204 }),
  });
  return { service, server: ['--server', service.url] };
}

it('lists secrets with what they are for, and how they stand', async () => {
  const { server } = await start();
  const { code, stdout } = await trellis(['secret', 'list', ...server]);
  expect([code, stdout.split('\n').map((line) => line.split(/ {2,}/))]).toEqual([
    0,
    [
      ['name', 'hosts', 'endpoints', 'last used'],
      ['CRM_KEY', 'crm.example.com test.example.com:8443', 'all', 'never'],
      ['LOST', SECRET.hosts.join(' '), 'a b/c', 'cannot be opened: set it again'],
      ['USED', SECRET.hosts.join(' '), 'all', '2026-11-21T00:00:00.000Z'],
      [''],
    ],
  ]);
  expect(JSON.parse((await trellis(['secret', 'list', '--json', ...server])).stdout)).toEqual(
    SECRETS,
  );
});

it('sets one to what is piped in, or typed, and shows it nowhere', async () => {
  const { service, server } = await start();
  const set = ['secret', 'set', 'CRM_KEY', '--host', ...SECRET.hosts, ...server];
  const named = [...set, '--endpoint', 'a', 'b/c'];
  const outcomes = [
    await trellis(named, { stdin: `${VALUE}\n` }),
    await trellisAtTerminal(set, { typed: [`${VALUE}\r`] }),
  ];
  expect(service.requests.map(({ body }) => JSON.parse(body))).toEqual([
    { value: VALUE, hosts: SECRET.hosts, endpoints: ['a', 'b/c'] },
    { value: VALUE, hosts: SECRET.hosts },
  ]);
  for (const { code, stdout, stderr } of outcomes) {
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('is sent to crm.example')]);
    expect(stdout + stderr).not.toContain(VALUE);
  }
  const none = await trellis(set, { stdin: '\n' });
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('holds no value')]);
});

it('takes no value as an argument', async () => {
  const { service, server } = await start();
  const set = ['secret', 'set', 'CRM_KEY', VALUE, '--host', 'a.example', ...server];
  expect((await trellis(set)).code).toBe(2);
  expect(service.requests).toEqual([]);
});

it('deletes one', async () => {
  const { server } = await start();
  const { code, stderr } = await trellis(['secret', 'delete', 'CRM_KEY', ...server]);
  expect([code, stderr]).toEqual([0, 'The secret "CRM_KEY" is deleted.\n']);
});
