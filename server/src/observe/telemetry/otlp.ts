import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
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
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
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

export function spanExporter(target: OtlpTarget): SpanExporter {
  return target.protocol === 'http/json'
    ? new JsonTraceExporter(optionsOf(target))
    : new ProtobufTraceExporter(optionsOf(target));
}

export function metricExporter(target: OtlpTarget): PushMetricExporter {
  return target.protocol === 'http/json'
    ? new JsonMetricExporter(optionsOf(target))
    : new ProtobufMetricExporter(optionsOf(target));
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

function optionsOf({ url, headers, timeoutMs }: OtlpTarget) {
  return { url, headers: { ...headers }, timeoutMillis: timeoutMs };
}
