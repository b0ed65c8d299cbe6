import { expect, it } from 'vitest';
import { trellis } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

const TOOL = {
  UID: '1111111111111111111112',
  name: 'add_note',
  description: 'Adds a note.',
  endpoint: 'notes/add',
  access: 'users',
  enabled: true,
  isReadOnly: false,
  mayRunOnPrimary: false,
  problem: null,
  updatedAt: '2026-11-20T00:00:00.000Z',
};
const TOOLS = [
  TOOL,
  { ...TOOL, name: 'off', enabled: false },
  { ...TOOL, name: 'orphan', isReadOnly: null, problem: 'endpoint_not_found' },
  { ...TOOL, name: 'reader', isReadOnly: true },
];

async function start() {
  const service = await startService({
    'GET /api/chatai/tools': () => ({ body: { items: TOOLS, total: 4, skip: 0, take: 1000 } }),
    'POST /api/chatai/tools': ({ body }) => ({
      status: 201,
      body: { ...TOOL, ...JSON.parse(body) },
    }),
    'DELETE /api/chatai/tools/add_note': () => ({ status: 204 }),
  });
  return {
    service,
    run: (...args: string[]) => trellis(['tool', ...args, '--server', service.url]),
  };
}

it('lists tools with how they stand', async () => {
  const { run } = await start();
  const { code, stdout } = await run('list');
  expect([code, stdout.split('\n').map((line) => line.split(/ {2,}/).at(-1))]).toEqual([
    0,
    ['standing', 'writes', 'disabled', 'endpoint_not_found', 'reads', ''],
  ]);
  expect(JSON.parse((await run('list', '--json')).stdout)).toEqual(TOOLS);
});

it('makes and deletes a tool', async () => {
  const { run, service } = await start();
  const what = ['--endpoint', 'notes/add', '--description', 'Adds a note.'];
  const made = await run('create', 'add_note', ...what, '--admins-only', '--disabled');
  expect([made.code, made.stderr]).toEqual([0, 'The tool "add_note" calls notes/add.\n']);
  expect(JSON.parse(service.requests.at(-1)?.body ?? '')).toEqual({
    name: 'add_note',
    description: 'Adds a note.',
    endpoint: 'notes/add',
    access: 'admins',
    enabled: false,
  });
  const deleted = await run('delete', 'add_note');
  expect([deleted.code, deleted.stderr]).toEqual([0, 'The tool "add_note" is deleted.\n']);
});

it('says what is missing', async () => {
  const { run, service } = await start();
  const { code, stderr } = await run('create', 'add_note', '--endpoint', 'notes/add');
  expect([code, stderr]).toEqual([2, expect.stringContaining('--description')]);
  expect(service.requests).toEqual([]);
});
