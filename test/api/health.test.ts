import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { healthReport, type HealthReport } from '@trellis/contract/shapes/health.ts';
import { HttpClient } from '../support/http-client.ts';
import { LlmWorkspace } from '../support/llm-workspace.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const OK = { status: 'ok', reason: null };
const OFF = { status: 'off', reason: null };

async function healthOf(url: string): Promise<HealthReport & { readonly text: string }> {
  const http = new HttpClient(url);
  const { json, text } = await http.send({ path: '/health', token: await http.signIn() });
  return { ...healthReport.parse(json), text };
}

const part = (health: HealthReport, name: string) => health.parts.find((one) => one.name === name);

test('every part of a primary that is well says so to an administrator', async () => {
  await using folder = await temporaryFolder();
  await using server = await TrellisProcess.start({ storage: folder.path });
  const { parts, status } = await healthOf(server.url);
  expect(status).toBe('ok');
  expect(parts).toEqual([
    { name: 'disk', ...OK },
    { name: 'storage', ...OK },
    { name: 'writer', ...OK },
    { name: 'replication', ...OFF },
    { name: 'index', ...OK },
    { name: 'endpoints', ...OK },
    { name: 'compiler', ...OK },
    { name: 'models', ...OFF },
    { name: 'logs', ...OK },
  ]);
});

test('log files that cannot be written are named', async () => {
  await using folder = await temporaryFolder();
  const logs = join(folder.path, 'logs');
  const now = Date.now();
  // Tomorrow's file as well, in case midnight passes during the test.
  for (const at of [now, now + 86_400_000]) {
    const day = new Date(at).toISOString().slice(0, 10);
    await mkdir(join(logs, `trellis-${day}.log`), { recursive: true });
  }
  const env = { MSK_LOG_PATH: logs };
  await using server = await TrellisProcess.start({ storage: join(folder.path, 'data'), env });
  const health = await healthOf(server.url);
  expect(health.status).toBe('degraded');
  expect(part(health, 'logs')).toEqual({
    name: 'logs',
    status: 'degraded',
    reason: 'file_not_written',
  });
  expect(health.text).not.toContain(folder.path);
});

test('a storage folder that is gone is named, and not where it was', async () => {
  await using folder = await temporaryFolder();
  const storage = join(folder.path, 'data');
  await using server = await TrellisProcess.start({ storage });
  await rm(storage, { recursive: true });
  const health = await healthOf(server.url);
  expect(health.status).toBe('degraded');
  expect(part(health, 'disk')).toMatchObject({ status: 'failed', reason: 'disk_unreadable' });
  expect(part(health, 'storage')).toMatchObject({
    status: 'failed',
    reason: 'folder_not_writable',
  });
  expect(health.text).not.toContain(folder.path);
});

test('a replication port that is taken is named', async () => {
  await using folder = await temporaryFolder();
  await using first = await TrellisProcess.start({ storage: join(folder.path, 'first') });
  const env = {
    MSK_JWT_KEY: 'a key of at least thirty-two characters',
    MSK_REPLICATION_PORT: new URL(first.url).port,
  };
  await using second = await TrellisProcess.start({ storage: join(folder.path, 'second'), env });
  const health = await healthOf(second.url);
  expect(part(health, 'replication')).toMatchObject({ status: 'failed', reason: 'port_not_open' });
  const http = new HttpClient(second.url);
  const list = await http.send({ path: '/api/replicas', token: await http.signIn() });
  expect(list).toMatchObject({ status: 409, json: { error: { code: 'replication_off' } } });
  expect(list.text).toContain('MSK_REPLICATION_PORT');
});

test('a provider of models that fails is named until it answers, and nothing of its key', async () => {
  await using at = await LlmWorkspace.start();
  await at.use('openai-compatible');
  const { url } = at.people.workspace.server;
  expect(part(await healthOf(url), 'models')).toMatchObject(OK);
  at.provider.script.fault = { status: 500, body: '{}' };
  const ask = () =>
    at
      .openAi()
      .chat.completions.create({ model: 'large', messages: [{ role: 'user', content: 'Hello?' }] });
  await expect(ask()).rejects.toThrow(/500|502|503/);
  const health = await healthOf(url);
  expect(part(health, 'models')).toMatchObject({ status: 'degraded', reason: 'provider_failing' });
  expect(health.text).not.toContain(at.provider.url);
  at.provider.reset();
  await ask();
  expect(part(await healthOf(url), 'models')).toMatchObject(OK);
});
