import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  SECRET_ENDPOINTS_MAX,
  SECRET_HOSTS_MAX,
  SECRET_NAME_CHARACTERS_MAX,
  SECRET_VALUE_CHARACTERS_MAX,
  SECRET_VALUE_CHARACTERS_MIN,
  SECRETS_MAX,
} from '@trellis/contract/limits.ts';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { EchoServer } from '../support/echo-server.ts';
import { valueAt } from '../support/http-client.ts';
import { People } from '../support/people.ts';

const VALUE = 'sk-live/A8f+"&9z=';
const MASK = '[secret CRM_KEY]';
const PLAIN = 'http://192.0.2.1';

let people: People;
let echo: EchoServer;
let other: EchoServer;
beforeAll(async () => {
  people = await People.start();
  echo = await EchoServer.start();
  other = await EchoServer.start();
  const fetchAllowList = [echo.url, other.url, PLAIN];
  await send('PUT', '/api/workspace/settings', { fetchAllowList });
  const request = '{ url: string; name: string; template?: string; header?: string }';
  const code = `export default async ({ body, fetch, secret, log }: Scope<${request}>) => {
  const { url, name, template, header = 'authorization' } = body;
  const named = secret(name, template);
  log.info('asks', { named });
  try {
    const answer = await fetch(url, { headers: { [header]: named } });
    return { status: answer.status, location: answer.headers.get('location'), seen: answer.headers.get('x-seen'), text: await answer.text() };
  } catch (error) {
    const { code, message, hint } = error as Problem;
    return { code, message, hint };
  }
};`;
  for (const name of ['asks', 'others/asks']) {
    expect(
      (await send('POST', '/api/endpoints/create', { name, code, isReadOnly: true })).json,
    ).toMatchObject({ diagnostics: [] });
  }
  const nested = `export default ({ body, run }: Scope) => run<unknown>('asks', body as never);`;
  await send('POST', '/api/endpoints/create', { name: 'nests', code: nested });
});
afterAll(async () => {
  await people[Symbol.asyncDispose]();
  await echo[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

const send = (method: string, path: string, body?: unknown) =>
  people.as('admin', method, path, body);
const put = (change: object = {}, name = 'CRM_KEY') =>
  send('PUT', `/api/secrets/${name}`, { value: VALUE, hosts: [echo.host], ...change });
const list = async () => Object((await send('GET', '/api/secrets')).json);
const errorOf = ({ json }: { readonly json: unknown }) => Object(Object(json).error);

async function ask(request: object = {}, endpoint = 'asks'): Promise<Record<string, unknown>> {
  const body = { url: `${echo.url}/`, name: 'CRM_KEY', ...request };
  const answer = await send('POST', `/api/endpoints/run/${endpoint}`, body);
  expect(answer.status, answer.text).toBe(200);
  return Object(answer.json);
}

beforeEach(async () => {
  echo.answer = (headers) => ({ body: JSON.stringify(headers) });
  expect((await put()).status).toBe(200);
});

describe('a secret', () => {
  test('is listed with all but its value', async () => {
    const { status, json, text } = await put({ endpoints: ['asks', 'asks'] });
    const record = {
      name: 'CRM_KEY',
      hosts: [echo.host],
      endpoints: ['asks'],
      changedAt: expect.stringMatching(/^20.*Z$/),
      changedBy: expect.any(String),
      isReadable: true,
    };
    expect([status, json]).toMatchObject([200, record]);
    await put({}, 'A_KEY');
    const named = await list();
    expect(named).toMatchObject({ total: 2, skip: 0, take: 50 });
    expect(named.items).toMatchObject([{ name: 'A_KEY', endpoints: null }, record]);
    expect((await send('GET', '/api/secrets?skip=1&take=1')).json).toMatchObject({
      items: [record],
    });
    expect(text + JSON.stringify(named)).not.toContain(VALUE);
    expect((await send('DELETE', '/api/secrets/A_KEY')).status).toBe(204);
    const again = await send('DELETE', '/api/secrets/A_KEY');
    expect([again.status, errorOf(again).code]).toEqual([404, 'secret_not_found']);
  });

  test('goes out in a header to its host, and comes back as a name', async () => {
    const answer = await ask({ template: 'Bearer {}' });
    expect(echo.seen.at(-1)?.headers.authorization).toBe(`Bearer ${VALUE}`);
    expect(JSON.parse(String(answer['text']))).toMatchObject({ authorization: `Bearer ${MASK}` });
    await ask({ header: 'x-api-key' });
    expect(echo.seen.at(-1)?.headers['x-api-key']).toBe(VALUE);
  });

  test('holds with its new value from the next request', async () => {
    await put({ value: 'another-value' });
    await ask();
    expect(echo.seen.at(-1)?.headers.authorization).toBe('another-value');
  });

  test('is there for the code of nested endpoints, and counts as used by them', async () => {
    await put({ endpoints: ['asks'] });
    expect(await ask({}, 'nests')).toMatchObject({ status: 200 });
    expect(await ask({}, 'others/asks')).toMatchObject({
      code: 'secret_not_allowed',
      message: 'The secret "CRM_KEY" is not for the code of "others/asks"',
    });
  });

  test.each([
    [
      'a redirect',
      { status: 302, headers: { location: `https://x.example/?k=${encodeURIComponent(VALUE)}` } },
    ],
    ['headers', { headers: { 'x-seen': VALUE, location: VALUE } }],
    ['an error', { status: 500, body: `what is "${VALUE}"?` }],
    ['base64', { body: Buffer.from(`user:${VALUE}`).toString('base64') }],
    ['JSON in JSON', { body: JSON.stringify({ a: JSON.stringify(VALUE) }) }],
  ])('does not come back in %s', async (_, answer) => {
    echo.answer = () => answer;
    const received = JSON.stringify(await ask());
    expect(received).toContain(MASK);
    for (const form of [VALUE, encodeURIComponent(VALUE), JSON.stringify(VALUE).slice(1, -1)]) {
      expect(received).not.toContain(form);
    }
  });

  test('is left out where the request fails', async () => {
    const gone = await EchoServer.start();
    const { host, url } = gone;
    await gone[Symbol.asyncDispose]();
    const fetchAllowList = [echo.url, other.url, PLAIN, url];
    await send('PUT', '/api/workspace/settings', { fetchAllowList });
    await put({ hosts: [host] });
    const failed = await ask({ url });
    expect(failed).toMatchObject({ code: 'fetch_failed' });
    // The name of a header that cannot be is quoted by whoever refuses it.
    const unsent = await ask({ url, header: 'a b' });
    expect(unsent).toMatchObject({ code: 'fetch_failed' });
    expect(JSON.stringify([failed, unsent])).not.toContain(VALUE);
  });
});

describe('a request is refused', () => {
  test('to any other host, and other port', async () => {
    const refused = await ask({ url: other.url });
    expect(refused).toMatchObject({
      code: 'secret_not_allowed',
      message: `The secret "CRM_KEY" is not for ${other.host}`,
    });
    expect(other.seen).toEqual([]);
  });

  test('where the workspace allows no request at all', async () => {
    await put({ hosts: ['api.example.com'] });
    expect(await ask({ url: 'https://api.example.com' })).toMatchObject({ code: 'forbidden' });
  });

  test('without https, but to the machine itself', async () => {
    await put({ hosts: [new URL(PLAIN).host] });
    expect(await ask({ url: PLAIN })).toMatchObject({
      code: 'secret_not_allowed',
      message: 'The secret "CRM_KEY" is not sent to 192.0.2.1 by http://',
    });
  });

  test('with a name that there is not', async () => {
    expect(await ask({ name: 'CRM_KEYS' })).toEqual({
      code: 'secret_not_found',
      message: 'There is no secret "CRM_KEYS"',
      hint: 'Did you mean "CRM_KEY"?',
    });
    expect(await ask({ name: '../token/x' })).toMatchObject({ code: 'secret_not_found' });
  });

  test.each([['Bearer'], ['{}{}'], [`${'x'.repeat(200)}{}`], ['{}\r\nx-more: 1'], ['é{}']])(
    'with the template %j',
    async (template) => {
      expect(await ask({ template })).toMatchObject({ code: 'invalid_request' });
    },
  );

  test('with a secret in a text, the address or the body', async () => {
    const code = `export default async ({ body, fetch, secret }: Scope<{ url: string; where: number }>) => {
  const named = secret('CRM_KEY');
  const ways = [
    async () => fetch(body.url, { headers: { a: 'Bearer ' + named } }),
    async () => fetch(body.url, { headers: { a: \`Bearer \${named}\` } }),
    async () => fetch(body.url + '?key=' + named),
    async () => fetch(body.url, { method: 'POST', body: named as never }),
  ];
  return ways[body.where]!().then(() => 'sent', (error: Error) => error.message);
};`;
    await send('POST', '/api/endpoints/create', { name: 'misplaces', code });
    for (const where of [0, 1, 2, 3]) {
      const body = { url: `${echo.url}/`, where };
      const answer = await send('POST', '/api/endpoints/run/misplaces', body);
      const expected = where === 3 ? 'takes a text as body' : 'is the whole value of a header';
      expect(String(answer.json ?? answer.text)).toContain(expected);
    }
  });
});

describe('whoever writes code', () => {
  const code = (name: string) =>
    `export default async ({ fetch, secret }: Scope) => {\n  await fetch('https://a.example', { headers: { a: secret('${name}') } });\n};\n`;
  const check = async (name: string, endpoint?: string) => {
    const asked = { code: code(name), types: true, name: endpoint };
    return Object((await send('POST', '/api/endpoints/check', asked)).json);
  };

  test('is told of a name that there is not, which is no error', async () => {
    const message = 'There is no secret "CRM_KEI". Did you mean "CRM_KEY"?';
    expect(await check('CRM_KEI')).toMatchObject({
      diagnostics: [],
      notices: [{ line: 2, column: expect.any(Number), code: 0, message }],
    });
    expect((await check('CRM_KEY')).notices).toBeUndefined();
  });

  test('is told of a secret that is not for the endpoint', async () => {
    await put({ endpoints: ['asks'] });
    expect((await check('CRM_KEY', 'asks')).notices).toBeUndefined();
    expect((await check('CRM_KEY', 'others')).notices).toMatchObject([
      { message: 'The secret "CRM_KEY" is not for the code of "others".' },
    ]);
  });

  test('is offered the names', async () => {
    const text = code('');
    const line = text.split('\n')[1] ?? '';
    const place = { line: 2, column: line.indexOf("secret('") + 9 };
    const client = new TrellisClient({
      baseUrl: people.workspace.server.url,
      token: people.tokenOf('admin'),
    });
    const editor = client.build.openEditor();
    const { items } = await editor.completions({ code: text, ...place });
    editor.close();
    expect(items.map(({ label }) => label)).toContain('CRM_KEY');
  });
});

describe('what is set is refused', () => {
  const A = 'a'.repeat(SECRET_VALUE_CHARACTERS_MIN);
  test.each([
    [{ value: A.slice(1) }, 'value'],
    [{ value: 'x'.repeat(SECRET_VALUE_CHARACTERS_MAX + 1) }, 'value'],
    [{ value: `${A}\n${A}` }, 'value'],
    [{ value: `${A} ` }, 'value'],
    [{ value: 'schlüssel' }, 'value'],
    [{ value: null }, 'value'],
    [{ hosts: [] }, 'hosts'],
    [{ hosts: Array.from({ length: SECRET_HOSTS_MAX + 1 }, (_, i) => `${i}.example`) }, 'hosts'],
    [{ hosts: ['https://a.example'] }, 'hosts.0'],
    [{ hosts: ['a.example/'] }, 'hosts.0'],
    [{ hosts: ['A.example'] }, 'hosts.0'],
    [{ hosts: ['*.example'] }, 'hosts.0'],
    [{ hosts: ['a.example:443'] }, 'hosts.0'],
    [{ hosts: ['user@a.example'] }, 'hosts.0'],
    [{ hosts: ['0x7f.1'] }, 'hosts.0'],
    [{ endpoints: [] }, 'endpoints'],
    [{ endpoints: ['a b'] }, 'endpoints.0'],
    [
      { endpoints: Array.from({ length: SECRET_ENDPOINTS_MAX + 1 }, (_, i) => `e${i}`) },
      'endpoints',
    ],
  ])('%#: %s', async (change, path) => {
    const answer = await put(change);
    expect([answer.status, errorOf(answer).details?.fields?.[0]?.path]).toEqual([400, path]);
    expect(answer.text).not.toContain(A);
  });

  test.each(['crm_key', '1KEY', 'A-B', 'A'.repeat(SECRET_NAME_CHARACTERS_MAX + 1), 'A%2FB'])(
    'under the name %s',
    async (name) => expect((await put({}, name)).status).toBe(400),
  );

  test('and what is as long as it may be is not', async () => {
    const change = {
      value: 'x'.repeat(SECRET_VALUE_CHARACTERS_MAX),
      hosts: Array.from({ length: SECRET_HOSTS_MAX }, (_, i) => `${i}.example:8443`),
      endpoints: Array.from({ length: SECRET_ENDPOINTS_MAX }, (_, i) => `e${i}`),
    };
    const name = 'A'.repeat(SECRET_NAME_CHARACTERS_MAX);
    expect((await put(change, name)).status).toBe(200);
    expect((await put({ value: A, hosts: ['[::1]:8080', 'localhost'] }, name)).status).toBe(200);
    await send('DELETE', `/api/secrets/${name}`);
  });

  test('beyond so many', async () => {
    const before = (await list()).total;
    const names = Array.from({ length: SECRETS_MAX - before }, (_, i) => `MANY_${i}`);
    for (const name of names) expect((await put({}, name)).status).toBe(200);
    const refused = await put({}, 'ONE_MORE');
    expect([refused.status, errorOf(refused).code]).toEqual([409, 'secret_limit_reached']);
    expect((await put({}, 'MANY_1')).status).toBe(200);
    for (const name of names) await send('DELETE', `/api/secrets/${name}`);
  });
});

test('tells who set it, who used it, and when, but no value', async () => {
  await send('DELETE', '/api/secrets/CRM_KEY');
  await put({ endpoints: ['asks'] });
  await ask();
  await ask();
  expect((await list()).items[0].lastUsedAt).toMatch(/^20.*Z$/);
  const audit = Object((await send('GET', '/api/audit?take=1000')).json);
  const events = audit.items as { action: string; target: unknown; details: unknown }[];
  const target = { kind: 'secret', id: 'CRM_KEY', name: null };
  expect(events).toContainEqual(
    expect.objectContaining({
      action: 'secret.set',
      target,
      details: { hosts: [echo.host], endpoints: ['asks'] },
    }),
  );
  expect(events).toContainEqual(expect.objectContaining({ action: 'secret.deleted', target }));
  const uses = events.filter(({ details }) => valueAt(details, 'host') === echo.host);
  // One event for each endpoint and hour, however often it asks.
  expect(uses.filter(({ details }) => valueAt(details, 'endpoint') === 'asks')).toEqual([
    expect.objectContaining({
      action: 'secret.used',
      target,
      details: { endpoint: 'asks', host: echo.host, uses: 1 },
    }),
  ]);
  expect(JSON.stringify(audit)).not.toContain(VALUE);
});
