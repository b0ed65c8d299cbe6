import { unreachable } from '#base/assert.ts';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';

/** Where one signal goes, and how; the shapes are those of `#config/telemetry-variables.ts`. */
export interface OtlpTarget {
  readonly url: string;
  readonly protocol: 'grpc' | 'http/protobuf' | 'http/json';
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip';
  readonly tls: OtlpTls;
}

/** In PEM. Without `ca` the receiver is trusted by whom the system trusts. */
export interface OtlpTls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

export interface SamplerSettings {
  readonly sampler:
    | 'always_on'
    | 'always_off'
    | 'traceidratio'
    | 'parentbased_always_on'
    | 'parentbased_always_off'
    | 'parentbased_traceidratio';
  readonly ratio: number;
}

export interface OtlpSettings extends SamplerSettings {
  readonly traces: OtlpTarget | null;
  readonly metrics: OtlpTarget | null;
  readonly resource: Readonly<Record<string, string>>;
  readonly metricIntervalMs: number;
  readonly metricTimeoutMs: number;
  readonly spanDelayMs: number;
  readonly spanQueueMax: number;
  readonly spanBatchMax: number;
}

/** Loads the exporter of that protocol alone. */
export async function spanExporter(target: OtlpTarget): Promise<SpanExporter> {
  switch (target.protocol) {
    case 'grpc': {
      const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-grpc');
      return new OTLPTraceExporter(await grpcOptions(target));
    }
    case 'http/json': {
      const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
      return new OTLPTraceExporter(httpOptions(target));
    }
    case 'http/protobuf': {
      const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
      return new OTLPTraceExporter(httpOptions(target));
    }
    default:
      return unreachable(target.protocol);
  }
}

export async function metricExporter(target: OtlpTarget): Promise<PushMetricExporter> {
  switch (target.protocol) {
    case 'grpc': {
      const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-grpc');
      return new OTLPMetricExporter(await grpcOptions(target));
    }
    case 'http/json': {
      const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-http');
      return new OTLPMetricExporter(httpOptions(target));
    }
    case 'http/protobuf': {
      const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-proto');
      return new OTLPMetricExporter(httpOptions(target));
    }
    default:
      return unreachable(target.protocol);
  }
}

export function samplerOf({ sampler, ratio }: SamplerSettings): Sampler {
  const [, isByParent, name = ''] = /^(parentbased_)?(.*)$/.exec(sampler) ?? [];
  const root =
    name === 'always_off'
      ? new AlwaysOffSampler()
      : name === 'traceidratio'
        ? new TraceIdRatioBasedSampler(ratio)
        : new AlwaysOnSampler();
  return isByParent === undefined ? root : new ParentBasedSampler({ root });
}

function httpOptions(target: OtlpTarget) {
  return {
    ...sharedOptions(target),
    headers: { ...target.headers },
    httpAgentOptions: { keepAlive: true, ...target.tls },
  };
}

async function grpcOptions(target: OtlpTarget) {
  const { credentials, Metadata } = await import('@grpc/grpc-js');
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(target.headers)) metadata.set(name, value);
  const { ca = null, key = null, cert = null } = target.tls;
  return {
    ...sharedOptions(target),
    metadata,
    credentials: target.url.startsWith('https:')
      ? credentials.createSsl(ca, key, cert)
      : credentials.createInsecure(),
  };
}

function sharedOptions({ url, timeoutMs, compression }: OtlpTarget) {
  return {
    url,
    timeoutMillis: timeoutMs,
    compression: compression === 'gzip' ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE,
  };
}
