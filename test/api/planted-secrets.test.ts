import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpClient, valueAt, type Answer, type Call } from '../support/http-client.ts';
import { LlmServer } from '../support/llm-server.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

/** Each is told to the server by the way that it is meant for, and by wrong ones. */
const PLANTED = {
  adminPassword: 'planted-admin-password-1',
  newPassword: 'planted-new-password-2',
  wrongPassword: 'planted-wrong-password-3',
  userPassword: 'planted-user-password-4',
  jwtKey: 'planted-jwt-key-of-more-than-32-bytes-5',
  masterKey: 'planted-master-key-of-more-than-32-bytes-6',
  smtpPassword: 'planted-smtp-password-7',
  otelHeader: 'planted-otel-header-8',
  chatKey: 'planted-chat-provider-key-9',
  embeddingsKey: 'planted-embeddings-key-10',
  clientSecret: 'planted-sso-client-secret-11',
  noToken: 'planted-bearer-that-is-no-token-12',
  endpointSecret: 'planted-in-a-log-line-of-an-endpoint-13',
};

let server: TrellisProcess;
let http: HttpClient;
let provider: LlmServer;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let admin: string;
/** Tokens that the server has made. */
const issued: string[] = [];
const answers: Answer[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  provider = await LlmServer.start();
  server = await TrellisProcess.start({
    storage: join(folder.path, 'data'),
    env: {
      MSK_LOG_PATH: join(folder.path, 'logs'),
      MSK_LOG_LEVEL: 'trace',
      MSK_ADMIN_PASSWORD: PLANTED.adminPassword,
      MSK_JWT_KEY: PLANTED.jwtKey,
      MSK_REPLICATION_PORT: '0',
      MSK_GRAPH_MASTER_KEY: PLANTED.masterKey,
      MSK_SMTP_URL: `smtp://mailer:${PLANTED.smtpPassword}@127.0.0.1:9`,
      // Nobody listens there.
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${PLANTED.otelHeader}`,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_METRIC_EXPORT_INTERVAL: '100',
    },
  });
  http = new HttpClient(server.url);
  admin = await http.signIn('admin', PLANTED.adminPassword);
  issued.push(admin);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function tell(call: Call): Promise<Answer> {
  const answer = await http.send(call);
  answers.push(answer);
  return answer;
}

async function ok(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await tell({ method, path, body, token: admin });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer;
}

async function tellPasswords(): Promise<void> {
  const { adminPassword, newPassword, wrongPassword, userPassword } = PLANTED;
  const login = { method: 'POST', path: '/api/login/create' };
  await tell({ ...login, body: { user: 'admin', password: wrongPassword } });
  // Half a body, a body of the wrong shape, and one in the wrong place.
  await tell({ ...login, body: `{"user": "admin", "password": "${wrongPassword}` });
  await tell({ ...login, body: { user: [wrongPassword], password: { is: wrongPassword } } });
  await tell({ path: `/api/login/create?password=${wrongPassword}` });
  await tell({
    ...login,
    body: `password=${wrongPassword}`,
    headers: { 'content-type': 'text/x' },
  });
  const person = { userName: 'ann', email: 'ann@example.com', password: userPassword };
  await ok('POST', '/api/users', person);
  expect(
    (await tell({ method: 'POST', path: '/api/users', body: person, token: admin })).status,
  ).toBe(409);
  const change = { method: 'POST', path: '/api/login/password/change', token: admin };
  await tell({ ...change, body: { oldPassword: wrongPassword, newPassword } });
  await tell({ ...change, body: { oldPassword: adminPassword, newPassword, extra: newPassword } });
  // Mail cannot be sent, which is told to nobody but the log.
  await tell({ method: 'POST', path: '/api/login/password/reset', body: { email: person.email } });
}

async function tellTokens(): Promise<void> {
  const made = await ok('POST', '/api/tokens', { kind: 'api', name: 'planted', scopes: ['read'] });
  const text = JSON.stringify(made.json);
  for (const [token] of text.matchAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g)) issued.push(token);
  expect(issued.length).toBeGreaterThan(1);
  await tell({ path: '/api/users', token: PLANTED.noToken });
  for (const token of issued) {
    // In the wrong place, and cut short.
    await tell({ path: `/api/nowhere/${token}?token=${token}` });
    await tell({ path: '/api/users', token: `${token}x` });
    await tell({ path: '/api/users', headers: { authorization: `Basic ${token}` } });
    await tell({ method: 'DELETE', path: `/api/tokens/${token}`, token: admin });
  }
}

async function tellProviders(): Promise<void> {
  const { chatKey, embeddingsKey, clientSecret } = PLANTED;
  // A provider that quotes what it refuses.
  const quoting = JSON.stringify({
    error: { message: `Incorrect key ${chatKey} ${embeddingsKey}` },
  });
  provider.script.fault = { status: 401, body: quoting };
  const settings = { provider: 'openai-compatible', baseUrl: provider.url, model: 'large' };
  const chat = { ...settings, apiKey: chatKey };
  const embeddings = { ...settings, apiKey: embeddingsKey };
  await ok('PUT', '/api/chatai/providers', { chat, embeddings });
  await tell({
    method: 'PUT',
    path: '/api/chatai/providers',
    body: { chat: { ...chat, apiKey: [chatKey] } },
    token: admin,
  });
  const code = `export default async ({ ai, log, body }: Scope) => {
  log.info('a line', { password: '${PLANTED.endpointSecret}', body });
  return ai.complete('Hello?');
};`;
  await ok('POST', '/api/endpoints/create', { name: 'asks', code });
  const run = { method: 'POST', path: '/api/endpoints/run/asks', token: admin };
  const asked = await tell({ ...run, body: { apiKey: PLANTED.endpointSecret } });
  expect(asked.status).toBeGreaterThanOrEqual(400);
  await tell({
    method: 'POST',
    path: '/api/oktasso/config',
    body: { clientSecret, issuer: 'http://127.0.0.1:9', clientId: 'id', enabled: true },
    token: admin,
  });
  await tell({ path: '/api/oktasso/get-login-url' });
}

test('nothing that is secret is in a log, an error, or what is told of jobs', async () => {
  await tellPasswords();
  await tellTokens();
  await tellProviders();
  const told = [
    '/api/jobs',
    '/api/graph/logs?take=500',
    '/api/graph/logs-files/download',
    '/api/audit',
  ];
  for (const path of told) await ok('GET', path);
  const { json } = await ok('GET', '/api/jobs');
  for (const job of (valueAt(json, 'items') as { id: string }[] | undefined) ?? []) {
    await ok('GET', `/api/jobs/${job.id}`);
  }
  await server.stop();

  const places = new Map([['stderr', server.stderr]]);
  const logs = join(folder.path, 'logs');
  for (const name of await readdir(logs, { recursive: true })) {
    if (name.endsWith('.log')) places.set(name, await readFile(join(logs, name), 'utf8'));
  }
  for (const [i, { status, text }] of answers.entries()) {
    // The one answer that hands a token out.
    if (status !== 201) places.set(`answer ${i}, ${status}`, text);
  }
  expect([...places.keys()].filter((name) => name.endsWith('.log'))).toHaveLength(2);
  expect(places.get('stderr')).toContain('telemetry is not exported');
  expect(places.get('stderr')).toContain('[redacted]');
  const found = [...places].flatMap(([place, text]) =>
    [...Object.entries(PLANTED), ...issued.map((token) => ['token', token] as const)].flatMap(
      ([name, secret]) => {
        const at = text.indexOf(secret);
        return at < 0 ? [] : [`${name} in ${place}: ${text.slice(Math.max(0, at - 150), at)}`];
      },
    ),
  );
  expect(found).toEqual([]);
});
