import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Problem } from '#base/problem.ts';
import { STRANGER_BODY_BYTES_MAX } from '@trellis/contract/request-limits.ts';
import { errorBody, invalidRequestDetails } from '@trellis/contract/errors.ts';
import { testServers, type RequestOptions, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer();
});
afterAll(() => at.server.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const LOGIN = '/api/login/create';
const SCHEMA = '/api/schema';

/** A request that cannot be answered well: its status, code, and more that the answer must have. */
interface Scenario {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly init?: RequestOptions;
  readonly status: number;
  readonly code: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: Readonly<Record<string, unknown>>;
}

const scenarios: readonly Scenario[] = [
  {
    name: 'an unknown route, whatever is sent to it',
    method: 'POST',
    path: '/api/nothing',
    init: { body: '<x/>', headers: { 'content-type': 'text/xml' } },
    status: 404,
    code: 'route_not_found',
  },
  {
    name: 'the root, without a front end',
    method: 'GET',
    path: '/',
    status: 404,
    code: 'front_end_not_built',
  },
  {
    name: 'another case of the path',
    method: 'GET',
    path: '/API/SCHEMA',
    status: 404,
    code: 'route_not_found',
  },
  {
    name: 'a slash too many',
    method: 'GET',
    path: '/api/endpoints/',
    init: { as: 'admin' },
    status: 404,
    code: 'route_not_found',
  },
  {
    name: 'a wrong method',
    method: 'DELETE',
    path: '/api/schema?x=1',
    status: 405,
    code: 'method_not_allowed',
    headers: { allow: 'GET, HEAD, PUT' },
    details: { allow: ['GET', 'HEAD', 'PUT'] },
  },
  {
    name: 'a wrong method for a name with slashes',
    method: 'POST',
    path: '/api/endpoints/a/b',
    status: 405,
    code: 'method_not_allowed',
    headers: { allow: 'GET, HEAD, PUT, DELETE' },
  },
  {
    name: 'a method that HTTP has but we have not',
    method: 'PROPFIND',
    path: '/health',
    status: 405,
    code: 'method_not_allowed',
    headers: { allow: 'GET, HEAD' },
  },
  {
    name: 'OPTIONS without cross-origin calls',
    method: 'OPTIONS',
    path: SCHEMA,
    status: 405,
    code: 'method_not_allowed',
  },
  {
    name: 'a path that is not well encoded',
    method: 'GET',
    path: '/api/%zz',
    status: 400,
    code: 'malformed_request',
  },
  {
    name: 'JSON cut short',
    method: 'POST',
    path: LOGIN,
    init: { body: '{"user":', headers: JSON_TYPE },
    status: 400,
    code: 'malformed_json',
  },
  {
    name: 'JSON that reaches for prototypes',
    method: 'POST',
    path: LOGIN,
    init: { body: '{"__proto__":{"user":1}}', headers: JSON_TYPE },
    status: 400,
    code: 'malformed_json',
  },
  {
    name: 'no body where one is needed',
    method: 'POST',
    path: LOGIN,
    status: 400,
    code: 'invalid_request',
    details: { fields: [{ path: '', message: expect.any(String) }] },
  },
  {
    name: 'an empty body of JSON',
    method: 'POST',
    path: LOGIN,
    init: { headers: JSON_TYPE },
    status: 400,
    code: 'invalid_request',
  },
  {
    name: 'fields that are wrong, missing and unknown',
    method: 'POST',
    path: LOGIN,
    init: { json: { user: 1, pass: 'x' } },
    status: 400,
    code: 'invalid_request',
    details: {
      fields: [
        { path: 'user', message: expect.stringContaining('string') },
        { path: 'password', message: expect.any(String) },
        { path: 'pass', message: 'is not known here' },
      ],
    },
  },
  {
    name: 'a field deep in the body',
    method: 'PUT',
    path: SCHEMA,
    init: { as: 'admin', json: { nodes: [{ type: 'T', fields: { a: 'Text' } }], edges: [] } },
    status: 400,
    code: 'invalid_request',
    details: { fields: [{ path: 'nodes.0.fields.a', message: expect.any(String) }] },
  },
  {
    name: 'a query parameter',
    method: 'GET',
    path: '/api/endpoints?take=1001',
    init: { as: 'admin' },
    status: 400,
    code: 'invalid_request',
    details: { fields: [{ path: 'take', message: expect.stringContaining('1000') }] },
  },
  {
    name: 'a query parameter given twice',
    method: 'GET',
    path: '/api/endpoints?take=1&take=2',
    init: { as: 'admin' },
    status: 400,
    code: 'invalid_request',
  },
  {
    name: 'a content type that is not taken',
    method: 'POST',
    path: LOGIN,
    init: { body: 'user=ada', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    status: 415,
    code: 'unsupported_media_type',
    details: { supported: ['application/json'] },
  },
  {
    name: 'a body without a content type',
    method: 'POST',
    path: LOGIN,
    init: { body: new TextEncoder().encode('{}') },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'a content type that is none',
    method: 'POST',
    path: LOGIN,
    init: { body: '{}', headers: { 'content-type': 'json' } },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'NDJSON where only JSON is taken',
    method: 'PUT',
    path: SCHEMA,
    init: { as: 'admin', body: '{}', headers: { 'content-type': 'application/x-ndjson' } },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'a compressed body where none is taken',
    method: 'PUT',
    path: SCHEMA,
    init: { as: 'admin', body: '{}', headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } },
    status: 415,
    code: 'unsupported_encoding',
    details: { supported: ['identity'] },
  },
  {
    name: 'wrong credentials',
    method: 'POST',
    path: LOGIN,
    init: { json: { user: 'user', password: 'wrong' } },
    status: 401,
    code: 'invalid_credentials',
  },
  {
    name: 'a wrong old password',
    method: 'POST',
    path: '/api/login/password/change',
    init: { as: 'user', json: { oldPassword: 'a', newPassword: 'b' } },
    status: 422,
    code: 'wrong_password',
  },
  {
    name: 'an endpoint that is not there',
    method: 'DELETE',
    path: '/api/endpoints/none/such',
    init: { as: 'admin', headers: JSON_TYPE },
    status: 404,
    code: 'endpoint_not_found',
  },
];

describe('error answers', () => {
  it.each(scenarios)('$name', async ({ method, path, init, status, code, headers, details }) => {
    const response = await at.request(method, path, init);
    expect(response.status).toBe(status);
    const { error, traceId } = errorBody.parse(response.json);
    expect(error.code).toBe(code);
    expect(error.hint).toBeTruthy();
    expect(response.headers.get('x-request-id')).toBe(traceId);
    expect(response.headers.get('x-msk-sequence')).toBe(String(at.services.sequence()));
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Object.fromEntries(response.headers)).toMatchObject(headers ?? {});
    if (details !== undefined) expect(error.details).toEqual(details);
    if (code === 'invalid_request') invalidRequestDetails.parse(error.details);
    expect(at.records.filter((record) => record['traceId'] === traceId)).toEqual([
      expect.objectContaining({ level: 'info', status, code, path: path.split('?')[0] }),
    ]);
  });

  it('says when to try again', async () => {
    const details = { retryAfterSeconds: 41.2 };
    const refused = new Problem('too_many_requests', 'Too many failed sign-ins.', { details });
    vi.spyOn(at.services.identity, 'login').mockRejectedValue(refused);
    const response = await at.request('POST', LOGIN, { json: { user: 'eager', password: '' } });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '42']);
    expect(errorBody.parse(response.json).error).toMatchObject({
      code: 'too_many_requests',
      hint: expect.any(String),
    });
  });

  it('has no body for HEAD', async () => {
    const response = await at.request('HEAD', '/api/nothing');
    expect([response.status, response.text]).toEqual([404, '']);
  });

  it('takes bodies up to the limit, and not a byte more', async () => {
    const padded = (bytes: number): string => {
      const body = JSON.stringify({ user: 'ada', password: 'x' });
      return body + ' '.repeat(bytes - body.length);
    };
    for (const [bytes, status] of [
      [STRANGER_BODY_BYTES_MAX - 1, 401],
      [STRANGER_BODY_BYTES_MAX, 401],
      [STRANGER_BODY_BYTES_MAX + 1, 413],
    ] as const) {
      const response = await at.request('POST', LOGIN, { body: padded(bytes), headers: JSON_TYPE });
      expect(response.status).toBe(status);
      if (status === 413) {
        const { error } = errorBody.parse(response.json);
        expect(error).toMatchObject({
          code: 'body_too_large',
          details: { limitBytes: STRANGER_BODY_BYTES_MAX },
        });
      }
    }
  });

  it('has no more of a path than people read', async () => {
    const { json } = await at.request('GET', `/api/${'x'.repeat(10_000)}`, {});
    const { traceId } = errorBody.parse(json);
    const record = at.records.find((one) => one['traceId'] === traceId);
    expect(String(record?.['path'])).toHaveLength(203);
    expect(JSON.stringify(record).length).toBeLessThan(1_000);
  });
});
