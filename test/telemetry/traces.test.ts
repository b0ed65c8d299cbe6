import { expect, test } from 'vitest';
import { LIBRARY_SCHEMA, startWorkspace } from '../support/workspace.ts';
import { LlmServer } from '../support/llm-server.ts';
import { OtlpReceiver } from '../support/otlp/otlp-receiver.ts';
import type { ReceivedSpan } from '../support/otlp/otlp-decoding.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER_SPAN = 'b7ad6b7169203331';

const WRITES = `export default async ({ graph, run }: Scope) => {
  await graph.addOrUpdate('Book', 'secret-isbn');
  return run('inner');
};`;
const INNER = 'export default () => ({ done: true });';

test.each(['http/protobuf', 'http/json'])(
  'a request is one trace, from HTTP through the endpoint to the writer (%s)',
  async (protocol) => {
    await using receiver = await OtlpReceiver.start();
    await using workspace = await startWorkspace({
      ...receiver.env,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=acme%20inc',
      OTEL_SERVICE_NAME: 'library',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=not-this',
    });
    const { http, token } = workspace;
    await http.send({ path: '/api/schema', method: 'PUT', body: LIBRARY_SCHEMA, token });
    for (const [name, code] of Object.entries({ inner: INNER, writes: WRITES })) {
      const made = await http.send({
        path: '/api/endpoints/create',
        body: { name, code, isReadOnly: name === 'inner' },
        token,
      });
      expect(made).toMatchObject({ status: 201, json: { compiles: true } });
    }
    const answer = await http.send({
      path: '/api/endpoints/run/writes?password=hunter2',
      body: { note: 'a body that nobody else reads' },
      token,
      headers: {
        traceparent: `00-${TRACE}-${CALLER_SPAN}-01`,
        'x-request-id': 'request-of-the-test',
      },
    });
    expect(answer.status).toBe(200);

    const ofTrace = (name: RegExp) =>
      receiver.waitFor(
        () => receiver.span((span) => span.traceId === TRACE && name.test(span.name)),
        `the span ${name}`,
      );
    const [request, outer, inner, commit, write] = await Promise.all(
      [/^POST/, /^endpoint writes/, /^endpoint inner/, /^commit/, /^write commit/].map(ofTrace),
    );
    expect(request).toMatchObject({
      parentSpanId: CALLER_SPAN,
      name: 'POST /api/endpoints/run/{+name}',
      kind: 2,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/endpoints/run/{+name}',
        'http.response.status_code': 200,
        'url.path': '/api/endpoints/run/writes',
        'trellis.request.id': 'request-of-the-test',
      },
      resource: {
        'service.name': 'library',
        'deployment.environment.name': 'test',
        'service.version': expect.stringMatching(/^\d/),
      },
    });
    expect(outer?.parentSpanId).toBe(request?.spanId);
    expect(inner).toMatchObject({
      parentSpanId: outer?.spanId,
      attributes: { 'trellis.endpoint.nested': true },
    });
    expect(commit?.parentSpanId).toBe(outer?.spanId);
    const sequence = Number(answer.headers.get('x-msk-sequence'));
    expect(commit?.attributes['trellis.commit.sequence']).toBeLessThanOrEqual(sequence);
    expect(write).toMatchObject({
      parentSpanId: commit?.spanId,
      attributes: { 'thread.name': 'writer' },
    });
    expectWithin(write, commit);
    expectWithin(commit, outer);
    expectWithin(outer, request);
    const { headers } = receiver.requests.at(-1) ?? {};
    expect(headers).toMatchObject({ 'x-tenant': 'acme inc' });
    for (const secret of ['hunter2', 'secret-isbn', 'a body that nobody', token]) {
      expect(receiver.text).not.toContain(secret);
    }
  },
);

/** Clocks of two threads agree to within a millisecond. */
function expectWithin(inner: ReceivedSpan | undefined, outer: ReceivedSpan | undefined): void {
  const tolerance = 1_000_000n;
  expect(inner!.startNanos).toBeGreaterThanOrEqual(outer!.startNanos - tolerance);
  expect(inner!.endNanos).toBeLessThanOrEqual(outer!.endNanos + tolerance);
}

test('what a kept trace of a call tells is below the span of its endpoint', async () => {
  await using receiver = await OtlpReceiver.start();
  await using workspace = await startWorkspace(receiver.env);
  const { http, token } = workspace;
  const send = (path: string, body: unknown, method = 'POST') =>
    http.send({ path, method, body, token });
  await send('/api/schema', LIBRARY_SCHEMA, 'PUT');
  const inner = `export default async ({ q, graph }: Scope) => {
  await graph.tryGet('Book', 'secret-key');
  return q().startAt('Book').where('Title', '=', 'secret-title').count();
};`;
  const outer = `export default async ({ q, run }: Scope) => {
  await q().startAt('Book').uids();
  return run('inner');
};`;
  for (const [name, code] of Object.entries({ inner, outer })) {
    expect((await send('/api/endpoints/create', { name, code })).status).toBe(201);
  }
  expect((await send('/api/endpoints/run/outer', { input: 'hunter2' })).status).toBe(200);
  const named = (name: string, summary?: string) =>
    receiver.waitFor(
      () =>
        receiver.span(
          (span) =>
            span.name === name &&
            (summary === undefined || span.attributes['db.query.summary'] === summary),
        ),
      `the span ${name}`,
    );
  const [ofOuter, ofInner] = await Promise.all([named('endpoint outer'), named('endpoint inner')]);
  const listed = await named('query', 'startAt(Book) uids');
  expect(listed).toMatchObject({ traceId: ofOuter.traceId, parentSpanId: ofOuter.spanId });
  const counted = await named('query', 'startAt(Book) where(Title) count');
  expect(counted).toMatchObject({
    traceId: ofOuter.traceId,
    parentSpanId: ofInner.spanId,
    attributes: {
      'db.system.name': 'trellis',
      'db.response.returned_rows': 1,
      'trellis.query.access': 'scan',
    },
  });
  const read = await named('nodes');
  expect(read).toMatchObject({
    parentSpanId: ofInner.spanId,
    attributes: { 'db.operation.name': 'tryGet', 'trellis.reads.count': 1 },
  });
  for (const secret of ['secret-key', 'secret-title', 'hunter2']) {
    expect(receiver.text).not.toContain(secret);
  }
});

test('what is asked of other servers is part of the trace, and they are told so', async () => {
  await using receiver = await OtlpReceiver.start();
  await using provider = await LlmServer.start();
  await using workspace = await startWorkspace(receiver.env);
  const { http, token } = workspace;
  const fetchAllowList = [receiver.url];
  await http.send({
    path: '/api/workspace/settings',
    method: 'PUT',
    body: { fetchAllowList },
    token,
  });
  const chat = {
    provider: 'openai-compatible',
    baseUrl: provider.url,
    model: 'large',
    apiKey: 'k',
  };
  await http.send({ path: '/api/chatai/providers', method: 'PUT', body: { chat }, token });
  const code = `export default async ({ fetch, ai }: Scope) => {
  await fetch('${receiver.url}/other?key=hunter2');
  return ai.complete('Hello?');
};`;
  await http.send({ path: '/api/endpoints/create', body: { name: 'asks', code }, token });
  const headers = { traceparent: `00-${TRACE}-${CALLER_SPAN}-01` };
  const answer = await http.send({ path: '/api/endpoints/run/asks', body: {}, token, headers });
  expect(answer.status, answer.text).toBe(200);
  const clients = await receiver.waitFor(() => {
    const found = receiver.spans.filter(({ kind, traceId }) => kind === 3 && traceId === TRACE);
    return found.length === 2 ? found : undefined;
  }, 'two spans of a client');
  const endpoint = await receiver.waitFor(
    () => receiver.span(({ name }) => name === 'endpoint asks'),
    'the span of the endpoint',
  );
  const told = (span: ReceivedSpan | undefined): string => `00-${TRACE}-${span?.spanId}-01`;
  const [fetched, asked] = clients.toSorted((a, b) => Number(a.startNanos - b.startNanos));
  for (const span of [fetched, asked]) {
    expect(span?.parentSpanId).toBe(endpoint.spanId);
    expect(span?.attributes).toMatchObject({ 'server.address': '127.0.0.1' });
  }
  const other = receiver.requests.find(({ path }) => path.startsWith('/other'));
  expect(other?.headers['traceparent']).toBe(told(fetched));
  expect(provider.requests.at(-1)?.headers['traceparent']).toBe(told(asked));
  expect(receiver.text).not.toContain('hunter2');
});

test('a caller that is not sampled is not told of; a wrong header begins a trace', async () => {
  await using receiver = await OtlpReceiver.start();
  await using workspace = await startWorkspace(receiver.env);
  const { http } = workspace;
  const send = (id: string, traceparent: string) =>
    http.send({ path: '/health', headers: { 'x-request-id': id, traceparent } });
  await send('not-sampled', `00-${TRACE}-${CALLER_SPAN}-00`);
  await send('wrong-header', `00-${TRACE}-0000000000000000-01`);
  const of = (id: string) =>
    receiver.span(({ attributes }) => attributes['trellis.request.id'] === id);
  const wrong = await receiver.waitFor(() => of('wrong-header'), 'the span');
  expect(wrong.parentSpanId).toBe('');
  expect(wrong.traceId).not.toBe(TRACE);
  expect(of('not-sampled')).toBeUndefined();
});

test('OTEL_TRACES_SAMPLER and OTEL_TRACES_EXPORTER are obeyed', async () => {
  await using receiver = await OtlpReceiver.start();
  for (const env of [
    { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
    { OTEL_TRACES_EXPORTER: 'none' },
  ]) {
    await using workspace = await startWorkspace({ ...receiver.env, ...env });
    const { length } = receiver.points;
    await receiver.waitFor(() => receiver.points[length], 'a metric');
    await workspace.server.stop();
    expect(receiver.spans).toEqual([]);
  }
});

test('nothing is sent without an endpoint, or when the SDK is disabled', async () => {
  await using receiver = await OtlpReceiver.start();
  await using workspace = await startWorkspace({ ...receiver.env, OTEL_SDK_DISABLED: 'true' });
  await workspace.http.send({ path: '/health' });
  await workspace.server.stop();
  expect(receiver.requests).toEqual([]);
});

test('a receiver that refuses is in the log, without the headers, and keeps nothing from working', async () => {
  await using receiver = await OtlpReceiver.start();
  receiver.status = 403;
  await using workspace = await startWorkspace({
    ...receiver.env,
    OTEL_EXPORTER_OTLP_HEADERS:
      'authorization=Basic%20c2VjcmV0LXRva2Vu,x-key=a-key-of-the-receiver',
    OTEL_METRIC_EXPORT_TIMEOUT: 'soon',
  });
  await receiver.waitFor(() => receiver.requests[0], 'a request');
  expect((await workspace.http.send({ path: '/health' })).status).toBe(200);
  expect(await workspace.server.stop()).toBe(0);
  const { stderr } = workspace.server;
  expect(stderr).toContain('telemetry is not exported');
  expect(stderr).toContain('OTEL_METRIC_EXPORT_TIMEOUT is no whole number');
  for (const secret of ['c2VjcmV0LXRva2Vu', 'a-key-of-the-receiver']) {
    expect(stderr).not.toContain(secret);
  }
});
