import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { HttpClient } from '../support/http-client.ts';
import { TrellisProcess, temporaryFolder } from '../support/trellis-process.ts';

/** Where `trellis serve` takes its settings from: options, variables, a file. */

test('an option goes before a variable, and a variable before the file', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'trellis.env');
  const settings = [
    'MSK_HOST=127.0.0.2',
    'MSK_PORT=1',
    'MSK_ADMIN_PASSWORD=of the file, "quoted"',
    `MSK_GRAPH_STORAGE=${join(folder.path, 'of-file')}`,
  ];
  await writeFile(file, settings.join('\n'), { mode: 0o600 });
  await using server = await TrellisProcess.start({
    storage: join(folder.path, 'of-variable'),
    env: { MSK_ADMIN_PASSWORD: '', MSK_PORT: '2' },
    args: ['--config', file, '--port', '0', '--data', join(folder.path, 'of-flag')],
  });
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.2:\d{3,}$/);
  const http = new HttpClient(server.url);
  expect(await http.signIn('admin', 'of the file, "quoted"')).toEqual(expect.any(String));
  expect(server.stderr).not.toContain('of the file');
  expect(await server.stop()).toBe(0);
});

test('all faults of all sources are told together, without secrets', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'trellis.env');
  await writeFile(file, 'MSK_PROT=1\nMSK_USE_HSTS=maybe\nMSK_JWT_KEY=hush\nhush hush\n');
  const { code, stderr } = await TrellisProcess.startRefused({
    storage: folder.path,
    env: { MSK_LOG_LEVEL: 'loud' },
    args: ['--config', file, '--port', 'web'],
  });
  expect(code).toBe(78);
  expect(stderr).toContain('6 settings are wrong:\n');
  expect(stderr).toContain(`${file}:1 sets MSK_PROT, which is no variable`);
  expect(stderr).toContain(`${file}:4 is no setting`);
  expect(stderr).toContain('MSK_PORT (--port) is "web"');
  expect(stderr).toContain(`MSK_USE_HSTS (${file}:2) is "maybe"`);
  expect(stderr).toContain('MSK_LOG_LEVEL is "loud"');
  expect(stderr).not.toContain('hush');
});

test.each(['missing.env', '.'])('the file %j, which cannot be read, is named', async (name) => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, name);
  const refused = { storage: folder.path, args: ['--config', file] };
  const { code, stderr } = await TrellisProcess.startRefused(refused);
  expect([code, stderr]).toEqual([78, expect.stringContaining(`${file} cannot be read (E`)]);
});

test('trellis doctor checks the same file, and warns of secrets that others can read', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'trellis.env');
  await writeFile(
    file,
    `MSK_ADMIN_PASSWORD=correct horse battery\nMSK_GRAPH_STORAGE=${folder.path}\n`,
  );
  await chmod(file, 0o644);
  const doctor = () =>
    runTrellis(['doctor', '--config', file], { home: folder.path, server: 'http://127.0.0.1:9' });
  const warning = `${file} has secrets, and every user of this machine can read it`;
  expect((await doctor()).stdout).toContain(warning);
  await chmod(file, 0o600);
  expect((await doctor()).stdout).not.toContain(warning);
  await writeFile(file, 'MSK_PROT=1\n');
  expect((await doctor()).stdout).toMatch(/wrong +configuration +\S+:1 sets MSK_PROT/);
});

test('a signal that comes while the program is loaded ends it', async () => {
  await using folder = await temporaryFolder();
  // As soon as the command line listens for signals, and before the server does. A signal that the
  // system delivers would come whenever the event loop gets to it.
  const early = `const seen = (name) => {
    if (name !== 'SIGTERM') return;
    process.off('newListener', seen);
    queueMicrotask(() => process.emit('SIGTERM'));
  };
  process.on('newListener', seen);`;
  const { code, stderr } = await TrellisProcess.startRefused({
    storage: folder.path,
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(early)}` },
  });
  expect(code).toBe(0);
  expect(stderr).toContain('interrupted before it began: stopping');
});
