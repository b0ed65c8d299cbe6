import { expect, test } from 'vitest';
import { OtlpReceiver } from '../support/otlp/otlp-receiver.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';
import { Cluster } from './cluster.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

test('the trace of a write goes on where a replica applies it', async () => {
  await using receiver = await OtlpReceiver.start();
  await using cluster = await Cluster.create(receiver.env);
  const primary = await cluster.node('primary');
  const replica = await cluster.node('replica');
  const link = await cluster.link(primary);
  await primary.startPrimary({ OTEL_SERVICE_NAME: 'primary' });
  await replica.startReplica(link, { OTEL_SERVICE_NAME: 'replica' });
  const token = await primary.http.signIn();
  const answer = await primary.http.send({
    path: '/api/schema',
    method: 'PUT',
    body: LIBRARY_SCHEMA,
    token,
    headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` },
  });
  expect(answer.status).toBe(200);
  const of = (service: string, name: string) =>
    receiver.waitFor(
      () =>
        receiver.span(
          (span) =>
            span.traceId === TRACE &&
            span.name === name &&
            span.resource['service.name'] === service,
        ),
      `${name} of the ${service}`,
    );
  const request = await of('primary', 'PUT /api/schema');
  const commit = await of('primary', 'commit');
  const applied = await of('replica', 'apply commit');
  expect(commit.parentSpanId).toBe(request.spanId);
  expect(applied).toMatchObject({ parentSpanId: commit.spanId, kind: 5 });
  expect(applied.attributes['trellis.commit.sequence']).toBe(
    commit.attributes['trellis.commit.sequence'],
  );
  const lag = await receiver.waitFor(
    () => receiver.points.find(({ name }) => name === 'trellis.replica.lag'),
    'the lag',
  );
  expect(lag.resource['service.name']).toBe('primary');
  expect(lag.attributes['trellis.replica.name']).toEqual(expect.any(String));
});
