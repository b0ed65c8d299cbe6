import { expect, it } from 'vitest';
import { readTelemetry } from './telemetry-variables.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otlp.example.org/base/' };

it('nothing is wanted unless an endpoint is set and the SDK is not disabled', () => {
  expect(readTelemetry({})).toEqual({ settings: null, secrets: [], warnings: [] });
  expect(readTelemetry({ OTEL_SERVICE_NAME: 'x' }).settings).toBeNull();
  expect(readTelemetry({ ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }).settings).toBeNull();
  const none = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' };
  expect(readTelemetry({ ...ENDPOINT, ...none }).settings).toBeNull();
});

it('has the defaults of the standard', () => {
  const target = {
    protocol: 'http/protobuf',
    headers: {},
    timeoutMs: 10_000,
    compression: 'none',
    tlsFiles: {},
  };
  expect(readTelemetry(ENDPOINT).settings).toEqual({
    traces: { ...target, url: 'https://otlp.example.org/base/v1/traces' },
    metrics: { ...target, url: 'https://otlp.example.org/base/v1/metrics' },
    resource: { 'service.name': 'trellis' },
    sampler: 'parentbased_always_on',
    ratio: 1,
    metricIntervalMs: 60_000,
    metricTimeoutMs: 30_000,
    spanDelayMs: 5_000,
    spanQueueMax: 2_048,
    spanBatchMax: 512,
  });
});

it('what is said of one signal goes before what is said of all', () => {
  const { settings } = readTelemetry({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces.example.org/own',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=1, b=two%20words',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'a=2',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: 'none',
    OTEL_EXPORTER_OTLP_CERTIFICATE: 'ca.pem',
    OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE: 'metrics.pem',
    OTEL_EXPORTER_OTLP_CLIENT_KEY: 'key.pem',
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: 'client.pem',
  });
  const client = {
    certificate: { variable: 'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE', path: 'client.pem' },
    key: { variable: 'OTEL_EXPORTER_OTLP_CLIENT_KEY', path: 'key.pem' },
  };
  expect(settings?.traces).toEqual({
    url: 'http://traces.example.org/own',
    protocol: 'http/json',
    headers: { a: '1', b: 'two words' },
    timeoutMs: 500,
    compression: 'gzip',
    tlsFiles: { ca: { variable: 'OTEL_EXPORTER_OTLP_CERTIFICATE', path: 'ca.pem' }, ...client },
  });
  expect(settings?.metrics).toMatchObject({
    protocol: 'http/protobuf',
    headers: { a: '2', b: 'two words' },
    compression: 'none',
    tlsFiles: {
      ca: { variable: 'OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE', path: 'metrics.pem' },
      ...client,
    },
  });
});

it('an endpoint of gRPC has no path added, and may be only a host and a port', () => {
  const OTEL_EXPORTER_OTLP_PROTOCOL = 'grpc';
  const urls = (env: object) => {
    const { settings } = readTelemetry({ OTEL_EXPORTER_OTLP_PROTOCOL, ...env });
    return [settings?.traces?.url, settings?.metrics?.url];
  };
  const both = (url: string): string[] => [url, url];
  expect(urls(ENDPOINT)).toEqual(both('https://otlp.example.org/base'));
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'collector:4317';
  expect(urls({ OTEL_EXPORTER_OTLP_ENDPOINT })).toEqual(both('https://collector:4317'));
  expect(
    urls({
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_INSECURE: 'TRUE',
      OTEL_EXPORTER_OTLP_TRACES_INSECURE: 'false',
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: '[::1]:4317',
    }),
  ).toEqual(['https://collector:4317', 'http://[::1]:4317']);
  const secured = { ...ENDPOINT, OTEL_EXPORTER_OTLP_INSECURE: 'true' };
  expect(urls(secured)).toEqual(both('https://otlp.example.org/base'));
  const mixed = { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' };
  expect(urls({ OTEL_EXPORTER_OTLP_ENDPOINT, ...mixed })).toEqual([
    undefined,
    'https://collector:4317',
  ]);
});

it('a header that gRPC cannot send is left out, and said', () => {
  const { settings, warnings } = readTelemetry({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_HEADERS: 'X-Tenant=a,trace-bin=b,sp%20ace=c,umlaut=%C3%BC,line=a%0Ab',
  });
  expect(settings?.traces?.headers).toEqual({ 'X-Tenant': 'a' });
  expect(warnings).toEqual([
    'OTEL_EXPORTER_OTLP_HEADERS is not what gRPC can send as metadata: it is taken as not set.',
  ]);
});

it('the name of the service goes before that among the attributes', () => {
  const OTEL_RESOURCE_ATTRIBUTES = 'service.name=first,team=a%2Cb';
  const resource = (env: object) => readTelemetry({ ...ENDPOINT, ...env }).settings?.resource;
  expect(resource({ OTEL_RESOURCE_ATTRIBUTES })).toEqual({ 'service.name': 'first', team: 'a,b' });
  expect(resource({ OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME: 'second' })).toMatchObject({
    'service.name': 'second',
  });
});

it('what is not understood is as if it were not set, and said without its value', () => {
  const wrong = {
    OTEL_EXPORTER_OTLP_PROTOCOL: 'carrier-pigeon',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'brotli',
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_TRACES_SAMPLER_ARG: '2',
    OTEL_METRIC_EXPORT_INTERVAL: '0',
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'not-a-url-but-a-secret',
    OTEL_EXPORTER_OTLP_HEADERS: 'a-secret-without-a-name',
  };
  const { settings, warnings } = readTelemetry({ ...ENDPOINT, ...wrong });
  expect(settings).toEqual(readTelemetry(ENDPOINT).settings);
  expect(warnings.map((text) => text.split(' ')[0]).toSorted()).toEqual(
    Object.keys(wrong).toSorted(),
  );
  expect(warnings.join('\n')).not.toMatch(/secret|sometimes/);
});

it('headers are secrets, also while nothing is sent', () => {
  const env = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc' };
  expect(readTelemetry(env).secrets).toEqual(['authorization=Bearer%20abc']);
  expect(readTelemetry({ ...ENDPOINT, ...env }).secrets).toContain('Bearer abc');
});
