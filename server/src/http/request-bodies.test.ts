import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  FORM_FIELDS_MAX,
  HTTP_STRANGER_BODIES_ADDRESS_BYTES_MAX,
  JSON_BODY_DEPTH_MAX,
  JSON_BODY_VALUES_MAX,
  JSON_INLINE_BYTES_MAX,
} from '#base/limits.ts';
import { bodyBytesMaxOf } from '@trellis/contract/operation.ts';
import { errorBody, isOAuthPath } from '@trellis/contract/errors.ts';
import { operations } from '@trellis/contract/operations.ts';
import { FORM_BODY_BYTES_MAX } from '@trellis/contract/request-limits.ts';
import { JSON_BODY_BYTES_MAX } from '@trellis/contract/limits.ts';
import { samplePath } from '@trellis/contract/testing/sample-requests.ts';
import { RawConnection } from './testing/raw-connection.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer({ timeouts: { strangerBody: 300, linger: 50 } });
});
afterAll(() => at.server.close());

/** An endpoint that answers nothing, and a SAML provider that says yes. */
beforeEach(() => {
  vi.spyOn(at.services.endpoints, 'run').mockResolvedValue({ status: 200, body: null });
  vi.spyOn(at.services.sso, 'takesSaml').mockReturnValue(true);
  const location = 'https://trellis.example/#/signed-in?code=c';
  vi.spyOn(at.services.sso, 'completeSaml').mockResolvedValue({ location });
});

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const codeOf = (json: unknown) => errorBody.parse(json).error.code;

const textual = operations.filter(
  ({ method, consumes = ['application/json'] }) =>
    method !== 'GET' &&
    (consumes.includes('application/json') || consumes[0]?.endsWith('form-urlencoded')),
);

describe('the body of every operation', () => {
  it.each(textual.map((row) => [row.id, row] as const))(
    '%s is refused beyond its limit, by what it says of itself',
    async (_, operation) => {
      const kind = operation.area === 'scim' ? 'scim' : operation.tokens?.[0];
      const as = operation.auth === 'token' ? `${kind}-token` : 'admin';
      const token = at.tokens[as as keyof typeof at.tokens];
      const limitBytes = bodyBytesMaxOf(operation);
      const type = operation.consumes?.[0] ?? 'application/json';
      await using connection = await RawConnection.open(at.port);
      connection.send(
        `${operation.method} ${samplePath(operation)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nContent-Length: ${limitBytes + 1}\r\n\r\n`,
      );
      const answer = await connection.response();
      expect(answer.status).toBe(413);
      const { error, error_description } = JSON.parse(answer.body);
      if (isOAuthPath(operation.path)) expect(error_description).toContain(`${limitBytes} bytes`);
      else expect(error).toMatchObject({ details: { limitBytes } });
    },
  );
});

describe('a stranger', () => {
  it('who says nothing of the length is refused as soon as there is too much', async () => {
    await using connection = await RawConnection.open(at.port);
    connection.send(
      'POST /api/login/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    connection.send(`8000\r\n${' '.repeat(0x8000)}\r\n`);
    const { status, body } = await connection.response();
    expect([status, codeOf(JSON.parse(body))]).toEqual([413, 'body_too_large']);
  });

  it('who sends a body slowly is given up long before others are', async () => {
    await using connection = await RawConnection.open(at.port);
    connection.send(
      'POST /api/login/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{',
    );
    const { status, body } = await connection.response();
    expect([status, codeOf(JSON.parse(body))]).toEqual([408, 'request_timeout']);
    expect(await connection.closed()).toBe('');
  });

  it('has a share of what all bodies may hold, which comes back however a request ends', async () => {
    await using own = await startTestServer({ timeouts: { linger: 50 } });
    const form = (bytes: number) =>
      `POST /api/saml/acs HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${bytes}\r\n\r\n`;
    const count = HTTP_STRANGER_BODIES_ADDRESS_BYTES_MAX / FORM_BODY_BYTES_MAX;
    const fill = async () => {
      const all = await Promise.all(
        Array.from({ length: count }, () => RawConnection.open(own.port)),
      );
      for (const one of all)
        one.send(form(FORM_BODY_BYTES_MAX) + 'x'.repeat(FORM_BODY_BYTES_MAX - 1));
      return all;
    };
    const ask = () =>
      own.request('POST', '/api/saml/acs', { headers: FORM_TYPE, body: 'SAMLResponse=abc' });
    const until = async (status: number) => {
      let answer = await ask();
      while (answer.status !== status) answer = await ask();
      return answer;
    };
    const first = await fill();
    const refused = await until(503);
    expect(codeOf(refused.json)).toBe('bodies_in_flight');
    expect(refused.headers.get('retry-after')).toBe('1');
    // The budget of who is signed in is another one.
    expect((await own.request('POST', '/api/cce/x', { as: 'user', json: {} })).status).toBe(200);
    for (const one of first) await one[Symbol.asyncDispose]();
    await until(303);
    const second = await fill();
    await until(503);
    for (const one of second) one.send('y');
    for (const one of second) expect((await one.response()).status).toBe(400);
    await until(303);
    for (const one of second) await one[Symbol.asyncDispose]();
  });
});

describe('a form', () => {
  const send = (body: string) => at.request('POST', '/api/saml/acs', { headers: FORM_TYPE, body });

  it('has not more fields than any has, and they are not looked at', async () => {
    const names = Array.from({ length: 60_000 }, (_, i) => `f${i}=`);
    for (const count of [FORM_FIELDS_MAX + 1, names.length]) {
      const response = await send(names.slice(0, count).join('&'));
      expect([response.status, codeOf(response.json)]).toEqual([400, 'invalid_request']);
    }
    expect(
      (await send(`SAMLResponse=abc&${names.slice(0, FORM_FIELDS_MAX - 1).join('&')}`)).status,
    ).toBe(303);
  });

  it('is not read where no SAML provider is configured', async () => {
    vi.mocked(at.services.sso.takesSaml).mockReturnValue(false);
    await using connection = await RawConnection.open(at.port);
    connection.send(
      'POST /api/saml/acs HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 900\r\n\r\n',
    );
    const { status, body } = await connection.response();
    expect([status, codeOf(JSON.parse(body))]).toEqual([404, 'sso_not_configured']);
  });
});

describe('JSON', () => {
  const synthetic = (body: string) =>
    at.request('POST', '/api/node/download/synthetic/jsonl', {
      as: 'user',
      body,
      headers: JSON_TYPE,
    });

  it.each([
    ['small', 10],
    ['as large as is read at once', JSON_INLINE_BYTES_MAX],
    ['larger', JSON_INLINE_BYTES_MAX + 1],
    ['as large as any', JSON_BODY_BYTES_MAX],
  ])('that is %s is the same value', async (_, bytes) => {
    const head = '{"nodes":[{"Name":"\\u00e9é€😀","n":1.5e3,"deep":{"a":[true,null,"]}"]}}';
    const filler = ',{"a":1}'.repeat(Math.max(0, Math.min(9_000, Math.floor((bytes - 200) / 20))));
    const body = `${head}${filler}]}`;
    const padded = body + ' '.repeat(Math.max(0, bytes - Buffer.byteLength(body)));
    const response = await synthetic(padded);
    expect(response.status).toBe(200);
    const lines = response.text.trimEnd().split('\n');
    expect(lines).toHaveLength(1 + filler.length / 8);
    expect(lines[0]).toContain('"éé€😀"');
  });

  it.each([
    ['[', 'malformed_json'],
    ['{"nodes":[{"__proto__":{"a":1}}]}', 'malformed_json'],
    ['{"nodes":[{"constructor":{"prototype":{"a":1}}}]}', 'malformed_json'],
    ['{"nodes":[]} x', 'malformed_json'],
  ])('that is wrong is refused, small or large: %s', async (wrong, code) => {
    for (const body of [wrong, ' '.repeat(JSON_INLINE_BYTES_MAX) + wrong]) {
      const response = await synthetic(body);
      expect([response.status, codeOf(response.json)]).toEqual([400, code]);
    }
  });

  it.each([
    ['deep', '['.repeat(JSON_BODY_DEPTH_MAX + 1), '', ']'.repeat(JSON_BODY_DEPTH_MAX + 1)],
    ['deep and never closed', '['.repeat(JSON_INLINE_BYTES_MAX * 2), '', ''],
    ['full of small values', '[', '[],'.repeat(JSON_BODY_VALUES_MAX), '[]]'],
    ['full of members', '{"nodes":[', '{"a":1},'.repeat(JSON_BODY_VALUES_MAX / 2), '{}]}'],
  ])('that is %s is refused, whoever would parse it', async (_, start, middle, end) => {
    const body = start + middle + end;
    const all = [await synthetic(body)];
    // What an endpoint gets is parsed by its worker; as far as it is large it is counted before.
    if (body.length > JSON_INLINE_BYTES_MAX) {
      all.push(await at.request('POST', '/api/cce/x', { as: 'user', body, headers: JSON_TYPE }));
    }
    for (const response of all) {
      expect([response.status, codeOf(response.json)]).toEqual([413, 'body_too_complex']);
    }
  });
});
