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
  const target = { protocol: 'http/protobuf', headers: {}, timeoutMs: 10_000 };
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
  });
  expect(settings?.traces).toEqual({
    url: 'http://traces.example.org/own',
    protocol: 'http/json',
    headers: { a: '1', b: 'two words' },
    timeoutMs: 500,
  });
  expect(settings?.metrics).toMatchObject({
    protocol: 'http/protobuf',
    headers: { a: '2', b: 'two words' },
  });
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
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
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
