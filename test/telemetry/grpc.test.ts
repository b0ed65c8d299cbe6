import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { ServerCredentials, status } from '@grpc/grpc-js';
import { generate } from 'selfsigned';
import { expect, test } from 'vitest';
import { OtlpGrpcReceiver } from '../support/otlp/otlp-grpc-receiver.ts';
import { OtlpReceiver } from '../support/otlp/otlp-receiver.ts';
import type { ReceivedTelemetry } from '../support/otlp/received-telemetry.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { startWorkspace } from '../support/workspace.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`;

/** A key with a certificate that vouches for itself, in files. */
async function certificateIn(folder: string, name: string) {
  const attributes = [{ name: 'commonName', value: name }];
  const made = await generate(attributes, {
    algorithm: 'sha256',
    keySize: 2048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  const files = { key: join(folder, `${name}.key`), cert: join(folder, `${name}.pem`) };
  await writeFile(files.key, made.private);
  await writeFile(files.cert, made.cert);
  return { files, key: Buffer.from(made.private), cert: Buffer.from(made.cert) };
}

/** Between server and receiver; the library that receives says nothing of compression. */
class Wire implements Disposable {
  bytes = Buffer.alloc(0);
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(port: number): Promise<Wire> {
    const server = createServer();
    const wire = new Wire(server);
    server.on('connection', (near) => {
      const far = connect(port, '127.0.0.1');
      near.on('data', (chunk: Buffer) => (wire.bytes = Buffer.concat([wire.bytes, chunk])));
      near.on('error', () => far.destroy()).pipe(far);
      far.on('error', () => near.destroy()).pipe(near);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return wire;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  [Symbol.dispose](): void {
    this.#server.close();
  }
}

function ofTrace(receiver: ReceivedTelemetry) {
  return receiver.waitFor(
    () => receiver.span(({ name, traceId }) => traceId === TRACE && name.startsWith('GET')),
    'the span of the request',
  );
}

test.each(['none', 'gzip'])('traces and metrics go over gRPC (compression: %s)', async (how) => {
  using receiver = await OtlpGrpcReceiver.start();
  using wire = await Wire.to(receiver.port);
  await using workspace = await startWorkspace({
    ...receiver.env,
    OTEL_EXPORTER_OTLP_HEADERS: 'X-Tenant=acme%20inc,x-bad-bin=1',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-signal=traces',
    OTEL_EXPORTER_OTLP_COMPRESSION: how,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: wire.url,
    OTEL_SERVICE_NAME: 'library',
  });
  const headers = { traceparent: TRACEPARENT };
  expect((await workspace.http.send({ path: '/health', headers })).status).toBe(200);
  const span = await ofTrace(receiver);
  expect(span).toMatchObject({ name: 'GET /health', resource: { 'service.name': 'library' } });
  const point = await receiver.waitFor(
    () => receiver.points.find(({ name }) => name === 'http.server.request.duration'),
    'a metric',
  );
  expect(point).toMatchObject({ kind: 'histogram', resource: { 'service.name': 'library' } });

  const sent = (service: string) =>
    receiver.requests.findLast(({ path }) => path.includes(service))?.headers ?? {};
  expect(sent('.TraceService/')).toMatchObject({ 'x-tenant': 'acme inc', 'x-signal': 'traces' });
  expect(sent('.MetricsService/')).toMatchObject({ 'x-tenant': 'acme inc' });
  expect(sent('.MetricsService/')).not.toHaveProperty('x-signal');
  expect(sent('.TraceService/')).not.toHaveProperty('x-bad-bin');
  const isReadable = wire.bytes.includes('http.server.request.duration');
  const isGzip = wire.bytes.includes(Buffer.of(0x1f, 0x8b, 8));
  expect({ isReadable, isGzip }).toEqual({ isReadable: how === 'none', isGzip: how === 'gzip' });
  expect(await workspace.server.stop()).toBe(0);
});

test('each signal goes its own way', async () => {
  using traces = await OtlpGrpcReceiver.start();
  await using metrics = await OtlpReceiver.start();
  await using workspace = await startWorkspace({
    ...metrics.env,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces.authority,
    OTEL_EXPORTER_OTLP_TRACES_INSECURE: 'true',
    OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: 'gzip',
  });
  await workspace.http.send({ path: '/health', headers: { traceparent: TRACEPARENT } });
  await ofTrace(traces);
  await metrics.waitFor(() => metrics.points[0], 'a metric');
  expect([traces.points, metrics.spans]).toEqual([[], []]);
  expect(metrics.requests.at(-1)?.headers).toMatchObject({ 'content-encoding': 'gzip' });
});

test('over TLS the receiver is known by its certificate, and knows the server by its own', async () => {
  await using folder = await temporaryFolder();
  const receivers = await certificateIn(folder.path, 'receiver');
  const clients = await certificateIn(folder.path, 'client');
  const stranger = await certificateIn(folder.path, 'stranger');
  const pairs = [{ private_key: receivers.key, cert_chain: receivers.cert }];
  using grpc = await OtlpGrpcReceiver.start(ServerCredentials.createSsl(clients.cert, pairs, true));
  const { key, cert } = receivers;
  await using http = await OtlpReceiver.start({ key, cert, ca: clients.cert, requestCert: true });
  const env = (trusted: string, own: { readonly key: string; readonly cert: string }) => ({
    ...grpc.env,
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${http.url}/v1/metrics`,
    OTEL_EXPORTER_OTLP_CERTIFICATE: trusted,
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: own.cert,
    OTEL_EXPORTER_OTLP_CLIENT_KEY: own.key,
  });
  {
    await using workspace = await startWorkspace(env(stranger.files.cert, clients.files));
    await workspace.http.send({ path: '/health' });
    expect(await workspace.server.stop()).toBe(0);
    expect(workspace.server.stderr).toContain('telemetry is not exported');
    expect([grpc.requests, http.requests]).toEqual([[], []]);
  }
  await using workspace = await startWorkspace(env(receivers.files.cert, clients.files));
  await workspace.http.send({ path: '/health', headers: { traceparent: TRACEPARENT } });
  await ofTrace(grpc);
  await http.waitFor(() => http.points[0], 'a metric');
});

test('files of certificates that cannot be used are warned of, and keep nothing from starting', async () => {
  await using folder = await temporaryFolder();
  using receiver = await OtlpGrpcReceiver.start();
  const one = await certificateIn(folder.path, 'one');
  const other = await certificateIn(folder.path, 'other');
  await using workspace = await startWorkspace({
    ...receiver.env,
    OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: join(folder.path, 'absent.pem'),
    OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE: one.files.key,
    OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: one.files.key,
    OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY: one.files.key,
    OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE: other.files.cert,
  });
  await receiver.waitFor(() => receiver.points[0], 'a metric');
  const { stderr } = workspace.server;
  for (const warning of [
    'OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE names a file that cannot be read',
    'OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE names a file that is no certificate',
    'OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY needs the other of certificate and key',
    'OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE with OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY is no',
  ]) {
    expect(stderr).toContain(warning);
  }
});

test('a receiver that refuses over gRPC is in the log, without the headers', async () => {
  using receiver = await OtlpGrpcReceiver.start();
  receiver.refusal = status.UNAUTHENTICATED;
  await using workspace = await startWorkspace({
    ...receiver.env,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20c2VjcmV0LXRva2Vu',
  });
  const { headers } = await receiver.waitFor(() => receiver.requests[0], 'a request');
  expect(headers).toMatchObject({ authorization: 'Basic c2VjcmV0LXRva2Vu' });
  expect((await workspace.http.send({ path: '/health' })).status).toBe(200);
  expect(await workspace.server.stop()).toBe(0);
  const { stderr } = workspace.server;
  expect(stderr).toContain('telemetry is not exported');
  expect(stderr).toContain('refused by the test');
  expect(stderr).not.toContain('c2VjcmV0LXRva2Vu');
});

test('a receiver that is not there costs nothing, and a stop ends', async () => {
  await using workspace = await startWorkspace({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_METRIC_EXPORT_INTERVAL: '200',
  });
  expect((await workspace.http.send({ path: '/health' })).status).toBe(200);
  expect(await workspace.server.stop()).toBe(0);
});
