import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

test('prints one ready line, serves, and stops with 0 on SIGTERM', async () => {
  await using folder = await temporaryFolder();
  await using server = await TrellisProcess.start({ storage: folder.path });
  expect(server.ready).toMatchObject({ event: 'ready', role: 'primary', url: server.url });
  expect(server.ready.uid).toMatch(/^[1-9A-HJ-NP-Za-km-z]{22}$/);
  const http = new HttpClient(server.url);
  expect((await http.send({ path: '/api/graph/ready' })).json).toBe(true);
  const available = await http.send({ path: '/api/available-status' });
  expect([available.status, available.text]).toEqual([200, 'available']);
  const role = { isReplica: false, hasReplicas: false };
  expect((await http.send({ path: '/health/replica' })).json).toEqual(role);
  expect((await http.send({ path: '/health' })).json).toMatchObject({
    status: 'ok',
    ready: true,
    role: 'primary',
  });
  expect(await server.stop()).toBe(0);
  expect(server.stdoutLines).toHaveLength(1);
});

test('a first start without MSK_ADMIN_PASSWORD prints a random one, once, and it works', async () => {
  await using folder = await temporaryFolder();
  const env = { MSK_ADMIN_PASSWORD: '' };
  await using first = await TrellisProcess.start({ storage: folder.path, env });
  const password = /password:? +(\S{16,})/i.exec(first.stderr)?.[1];
  expect(password).toBeDefined();
  await expect(new HttpClient(first.url).signIn('admin', password)).resolves.toBeTypeOf('string');
  await first.stop();
  await using second = await TrellisProcess.start({ storage: folder.path, env });
  expect(second.stderr).not.toContain(password);
  await expect(new HttpClient(second.url).signIn('admin', password)).resolves.toBeTypeOf('string');
});

test('sessions outlive a restart, and a changed MSK_JWT_KEY ends them', async () => {
  await using folder = await temporaryFolder();
  await using first = await TrellisProcess.start({ storage: folder.path });
  const token = await new HttpClient(first.url).signIn();
  await first.stop();
  await using second = await TrellisProcess.start({ storage: folder.path });
  const check = { path: '/api/login/check', token };
  expect((await new HttpClient(second.url).send(check)).status).toBe(200);
  await second.stop();
  const env = { MSK_JWT_KEY: 'another key of thirty-two characters' };
  await using third = await TrellisProcess.start({ storage: folder.path, env });
  const answer = await new HttpClient(third.url).send(check);
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
});

test('stops also when its storage is gone', async () => {
  await using folder = await temporaryFolder();
  await using server = await TrellisProcess.start({ storage: folder.path });
  await folder[Symbol.asyncDispose]();
  await server.stop();
  expect(server.process.signalCode).toBeNull();
  expect(server.process.exitCode).toBe(1);
});

test('reports every fault of the configuration at once and exits with 78', async () => {
  await using folder = await temporaryFolder();
  const refused = await TrellisProcess.startRefused({
    storage: folder.path,
    env: { MSK_PORT: 'eighty', MSK_LOW_MEMORY: 'perhaps', MSK_GRAPH_STORGE: 'x' },
  });
  expect(refused.code).toBe(78);
  expect(refused.stderr).toContain('MSK_PORT');
  expect(refused.stderr).toContain('MSK_LOW_MEMORY');
  expect(refused.stderr).toMatch(/MSK_GRAPH_STORGE.*MSK_GRAPH_STORAGE/);
  expect(await readdir(folder.path)).toEqual([]);
});

test('a store that is in use refuses a second process', async () => {
  await using folder = await temporaryFolder();
  await using _server = await TrellisProcess.start({ storage: folder.path });
  const refused = await TrellisProcess.startRefused({ storage: folder.path });
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('in use');
});
