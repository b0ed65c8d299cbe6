import { OTLPMetricExporterBase } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  CompressionAlgorithm,
  OTLPExporterBase,
  type IOtlpExportDelegate,
} from '@opentelemetry/otlp-exporter-base';
import {
  JsonMetricsSerializer,
  JsonTraceSerializer,
  MetricsExporterMetricsHelper,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
  type IExporterMetricsHelper,
  type ISerializer,
} from '@opentelemetry/otlp-transformer';
import type { PushMetricExporter, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { OtlpEndpoint, TelemetrySettings } from './telemetry-variables.ts';

/** A target whose files of TLS are read. */
interface OtlpTarget extends OtlpEndpoint {
  readonly tls: OtlpTls;
}

/** In PEM. Without `ca`, the receiver needs a certificate that the system trusts. */
export interface OtlpTls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

export type OtlpSettings = TelemetrySettings<OtlpTarget>;
type SamplerSettings = Pick<OtlpSettings, 'sampler' | 'ratio'>;

export async function spanExporter(target: OtlpTarget): Promise<SpanExporter> {
  return new OTLPExporterBase(
    await delegateOf<ReadableSpan[]>(target, {
      name: 'TRACES',
      path: 'v1/traces',
      rpc: ['TraceExportService', '/opentelemetry.proto.collector.trace.v1.TraceService/Export'],
      component: 'span_exporter',
      metrics: TraceExporterMetricsHelper,
      json: JsonTraceSerializer,
      protobuf: ProtobufTraceSerializer,
    }),
  );
}

export async function metricExporter(target: OtlpTarget): Promise<PushMetricExporter> {
  return new OTLPMetricExporterBase(
    await delegateOf<ResourceMetrics>(target, {
      name: 'METRICS',
      path: 'v1/metrics',
      rpc: [
        'MetricsExportService',
        '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
      ],
      component: 'metric_exporter',
      metrics: MetricsExporterMetricsHelper,
      json: JsonMetricsSerializer,
      protobuf: ProtobufMetricsSerializer,
    }),
  );
}

/** What the exporter of one signal needs, for each protocol. */
interface Signal<Items> {
  readonly name: 'TRACES' | 'METRICS';
  /** For HTTP: the path after the address of the receiver. */
  readonly path: string;
  /** For gRPC: the name of the client, and the method. */
  readonly rpc: readonly [string, string];
  readonly component: string;
  readonly metrics: IExporterMetricsHelper<Items>;
  readonly json: ISerializer<Items, unknown>;
  readonly protobuf: ISerializer<Items, unknown>;
}

/** Loads only the transport of the given protocol. */
async function delegateOf<Items>(
  target: OtlpTarget,
  { name, path, rpc, component, metrics, json, protobuf }: Signal<Items>,
): Promise<IOtlpExportDelegate<Items>> {
  if (target.protocol === 'grpc') {
    const grpc = await import('@opentelemetry/otlp-grpc-exporter-base');
    const options = grpc.convertLegacyOtlpGrpcOptions(await grpcOptions(target), name);
    return grpc.createOtlpGrpcExportDelegate(
      options,
      protobuf,
      `otlp_grpc_${component}`,
      metrics,
      undefined,
      ...rpc,
    );
  }
  const http = await import('@opentelemetry/otlp-exporter-base/node-http');
  const isJson = target.protocol === 'http/json';
  const options = http.convertLegacyHttpOptions(httpOptions(target), name, path, {
    'Content-Type': isJson ? 'application/json' : 'application/x-protobuf',
  });
  return http.createOtlpHttpExportDelegate(
    options,
    isJson ? json : protobuf,
    `otlp_http_${component}`,
    metrics,
    undefined,
  );
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
