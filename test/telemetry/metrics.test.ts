import { expect, test } from 'vitest';
import { metrics, type MetricRow } from '../../server/src/observe/telemetry/metric-catalogue.ts';
import { OtlpReceiver } from '../support/otlp/otlp-receiver.ts';
import { startWorkspace } from '../support/workspace.ts';

/** Told by members, by a primary with replicas, while there are jobs, and when others are asked. */
const NOT_ALWAYS: ReadonlySet<string> = new Set([
  'trellis.replica.lag',
  'trellis.member.term',
  'trellis.member.takeovers',
  'trellis.member.lag',
  'trellis.lease.renewal.duration',
  'trellis.jobs',
  'trellis.webhook.duration',
  'trellis.connector.duration',
  'http.client.request.duration',
]);
const KINDS = { histogram: 'histogram', gauge: 'gauge', counter: 'sum', 'up-down-counter': 'sum' };

test('every metric of the catalogue arrives as it says, and no other', async () => {
  await using receiver = await OtlpReceiver.start();
  await using workspace = await startWorkspace(receiver.env);
  const { http, token } = workspace;
  const code = 'export default () => 1;';
  await http.send({ path: '/api/endpoints/create', body: { name: 'one', code }, token });
  const budgets = [{ team: null, tokens: 1_000 }];
  await http.send({ method: 'PUT', path: '/api/llm/budgets', body: { budgets }, token });
  for (let i = 0; i < 3; i++) {
    expect((await http.send({ path: '/api/endpoints/run/one', body: {}, token })).status).toBe(200);
  }
  expect((await http.send({ path: '/api/nowhere' })).status).toBe(404);
  const rows = Object.entries<MetricRow>(metrics).filter(([name]) => !NOT_ALWAYS.has(name));
  for (const [name, { kind, unit, attributes }] of rows) {
    const point = await receiver.waitFor(
      () => receiver.points.find((one) => one.name === name),
      name,
    );
    expect(point, name).toMatchObject({ kind: KINDS[kind], unit });
    expect(point.value, name).toBeGreaterThanOrEqual(0);
    expect(attributes, name).toEqual(expect.arrayContaining(Object.keys(point.attributes)));
  }
  const known = Object.keys(metrics);
  expect(known).toEqual(expect.arrayContaining(receiver.points.map(({ name }) => name)));

  const newest = (name: string, attributes: object) =>
    receiver.points.findLast(
      (one) =>
        one.name === name &&
        Object.entries(attributes).every(([key, value]) => one.attributes[key] === value),
    );
  await receiver.waitFor(
    () =>
      newest('trellis.endpoint.duration', { 'trellis.endpoint.name': 'one' })?.value === 3 ||
      undefined,
    'three calls',
  );
  const route = { 'http.route': '/api/endpoints/run/{+name}', 'http.response.status_code': 200 };
  expect(newest('http.server.request.duration', route)?.value).toBe(3);
  expect(newest('http.server.request.duration', { 'http.response.status_code': 404 })?.value).toBe(
    1,
  );
  const { sequence, nodes } = (await http.send({ path: '/api/graph/stats/overview', token }))
    .json as { sequence: number; nodes: number };
  expect(nodes).toBeGreaterThan(0);
  await receiver.waitFor(
    () => newest('trellis.sequence', {})?.value === sequence || undefined,
    'the sequence of the statistics',
  );
  expect(newest('trellis.health.part', { 'trellis.part.name': 'writer' })?.value).toBe(1);
  expect(newest('trellis.commits', {})?.value).toBeGreaterThan(0);
});

test('exports that fail are counted', async () => {
  await using receiver = await OtlpReceiver.start();
  receiver.status = 403;
  await using workspace = await startWorkspace({
    ...receiver.env,
    OTEL_METRIC_EXPORT_INTERVAL: '200',
  });
  expect((await workspace.http.send({ path: '/health' })).status).toBe(200);
  await receiver.waitFor(() => receiver.requests[3], 'requests that are refused');
  receiver.status = 200;
  await receiver.waitFor(
    () =>
      receiver.points.some(({ name, value }) => name === 'trellis.telemetry.failures' && value > 0)
        ? true
        : undefined,
    'failures',
  );
});
