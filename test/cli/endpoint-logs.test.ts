import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  workspace = await startWorkspace();
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const logs = (...args: string[]) =>
  runTrellis(['endpoint', 'logs', ...args], {
    home: folder.path,
    server: workspace.server.url,
    token: workspace.token,
  });

test('endpoint logs shows lines in their order, and follows them to the given time', async () => {
  const code = `export default async function ({ log }: Scope) {
  log.info('first\\u001b[2J'); log.warn('second', { n: 1 }); return 1;\n}\n`;
  const send = (path: string, body: unknown) =>
    workspace.http.send({ path, body, token: workspace.token });
  await send('/api/endpoints/create', { name: 'logs-test/talk', code });
  await send('/api/endpoints/run/logs-test/talk', null);

  const all = await logs('logs-test/');
  expect([all.code, all.stderr]).toEqual([0, '']);
  expect(all.stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^\S+Z info  logs-test\/talk: first\ufffd\[2J$/),
    expect.stringMatching(/^\S+Z warn  logs-test\/talk: second \{"n":1\}$/),
  ]);
  const [line] = JSON.parse((await logs('--level', 'warn', '--json')).stdout);
  expect(line).toMatchObject({ message: 'second', data: { n: 1 } });
  const to = new Date(Date.parse(line.at) + 1).toISOString();
  const followed = await logs('--follow', '--query', 'SECOND', '--to', to, '--json');
  expect(JSON.parse(followed.stdout)).toEqual(line);
  expect((await logs('--level', 'loud')).code).toBe(2);
});
