import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder, trellis } from '../testing/command-line.ts';
import { refusal, startService } from '../testing/service.ts';

const RECORD = {
  name: 'ours',
  digest: 'd',
  files: 2,
  bytes: 30,
  uploadedAt: '2026-11-21T12:00:00.000Z',
  uploadedBy: null,
  chosen: false,
};

async function start(record = RECORD) {
  const service = await startService({
    'PUT /api/interfaces/ours': () => ({ body: record }),
    'GET /api/interfaces': () => ({
      body: {
        items: [
          record,
          { ...RECORD, name: 'theirs', uploadedBy: { uid: 'u', name: 'ada' }, chosen: true },
        ],
        total: 2,
        skip: 0,
        take: 50,
      },
    }),
    'DELETE /api/interfaces/ours': () => ({ status: 204 }),
    'DELETE /api/interfaces/theirs': () => refusal(409, 'interface_in_use'),
    'PUT /api/workspace/settings': ({ body }) => ({ body: JSON.parse(body) }),
  });
  const folder = scratchFolder();
  const run = (...args: string[]) =>
    trellis(['interface', ...args, '--server', service.url], { env: { HOME: folder } });
  return { service, folder, run };
}

function fill(folder: string, names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), `content of ${name}`);
  }
}

it('zips a folder, without what is hidden, and says how to serve it', async () => {
  const { service, folder, run } = await start();
  const dist = join(folder, 'dist');
  fill(dist, ['index.html', 'assets/a.js', '.env', '.git/config']);
  symlinkSync(join(folder, 'dist/.env'), join(dist, 'link.txt'));
  const first = await run('push', dist, '--name', 'ours');
  expect([first.code, first.stdout, first.stderr]).toEqual([
    0,
    '',
    'Uploaded 2 files, 30 bytes, as "ours"; "trellis interface choose ours" has the workspace serve it.\n',
  ]);
  await run('push', dist, '--name', 'ours', '--json');
  const [zip, again] = service.requests;
  expect(zip?.headers['content-type']).toBe('application/zip');
  expect(zip?.body).toMatch(/^PK/);
  expect(zip?.body).toContain('assets/a.js');
  expect(zip?.body).not.toMatch(/env|config|link/);
  expect(again?.body, 'the same files are the same zip').toBe(zip?.body);
  expect(service.requests).toHaveLength(2);
});

it('sends a zip as it is, and chooses it', async () => {
  const { service, folder, run } = await start();
  writeFileSync(join(folder, 'ours.zip'), 'PK as it is');
  const { code, stdout, stderr } = await run(
    'push',
    join(folder, 'ours.zip'),
    '--name',
    'ours',
    '--choose',
    '--json',
  );
  expect([code, JSON.parse(stdout)]).toEqual([0, { ...RECORD, chosen: true }]);
  expect(stderr).toContain('the workspace serves it');
  expect(service.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['PUT', '/api/interfaces/ours', 'PK as it is'],
    ['PUT', '/api/workspace/settings', '{"interface":"ours"}'],
  ]);
});

it('sends nothing without a page, a name or a folder', async () => {
  const { service, folder, run } = await start();
  const outcomes = [
    await run('push', folder, '--name', 'ours'),
    await run('push', folder),
    await run('push', join(folder, 'nowhere'), '--name', 'ours'),
  ];
  expect(outcomes.map(({ code }) => code)).toEqual([1, 2, 1]);
  expect(outcomes[0]?.stderr).toContain('has no index.html');
  expect(service.requests).toEqual([]);
});

it('lists them', async () => {
  const { run } = await start();
  expect((await run('list')).stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['NAME', 'FILES', 'BYTES', 'UPLOADED', 'BY', 'STATE'],
    ['ours', '2', '30', '2026-11-21T12:00:00.000Z', 'a token'],
    ['theirs', '2', '30', '2026-11-21T12:00:00.000Z', 'ada', 'chosen'],
    [''],
  ]);
  expect(JSON.parse((await run('list', '--json')).stdout)).toHaveLength(2);
});

it('chooses one, or the built-in front end, and not both or neither', async () => {
  const { service, run } = await start();
  const one = await run('choose', 'ours');
  const builtIn = await run('choose', '--built-in', '--json');
  expect([one.code, one.stderr]).toEqual([0, 'The workspace serves the interface "ours".\n']);
  expect(JSON.parse(builtIn.stdout)).toEqual({ interface: null });
  for (const args of [['choose'], ['choose', 'ours', '--built-in']]) {
    expect((await run(...args)).code).toBe(2);
  }
  expect(service.requests.map(({ body }) => JSON.parse(body))).toEqual([
    { interface: 'ours' },
    { interface: null },
  ]);
});

it('deletes one, unless it is the chosen one', async () => {
  const { run } = await start();
  expect((await run('delete', 'ours')).stderr).toBe('Deleted the interface "ours".\n');
  const refused = await run('delete', 'theirs');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('interface_in_use')]);
});
