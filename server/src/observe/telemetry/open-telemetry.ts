import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  diag,
  DiagLogLevel,
  type Histogram,
  type Meter,
  type ObservableResult,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
  type UpDownCounter,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import type { Logger } from '../logger.ts';
import { metricExporter, type OtlpSettings, samplerOf, spanExporter } from './otlp.ts';
import {
  type Attributes,
  formatTraceparent,
  type OpenSpan,
  parseTraceparent,
  type SpanOptions,
  type Telemetry,
} from './telemetry.ts';
import { type MetricName, metrics, type RecordedMetric } from './metric-catalogue.ts';

export interface TelemetryOptions {
  readonly settings: OtlpSettings;
  /** `service.version`. */
  readonly version: string;
  readonly logger: Pick<Logger, 'warn'>;
}

const SCOPE = 'trellis';
/** A receiver that does not answer must not keep the process from ending. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Begins to export as the settings say. */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  reportFaults(options.logger);
  const { settings } = options;
  const failures = { traces: 0, metrics: 0 };
  const exporters = {
    spans: settings.traces && (await spanExporter(settings.traces)),
    metrics: settings.metrics && (await metricExporter(settings.metrics)),
  };
  if (exporters.spans !== null) countFailures(exporters.spans, () => failures.traces++);
  if (exporters.metrics !== null) countFailures(exporters.metrics, () => failures.metrics++);
  return new OtlpTelemetry(options, exporters, failures);
}

interface Exporter<Items, Result> {
  export(items: Items, done: (result: Result) => void): void;
}

/** The code of the result of an export that went well. */
const EXPORTED = 0;

/** Exports go on as they did. */
function countFailures<Items, Result extends { readonly code: number }>(
  exporter: Exporter<Items, Result>,
  onFailure: () => void,
): void {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.code !== EXPORTED) onFailure();
      done(result);
    });
}

interface Exporters {
  readonly spans: SpanExporter | null;
  readonly metrics: PushMetricExporter | null;
}

class OtlpTelemetry implements Telemetry {
  readonly #working = new AsyncLocalStorage<Context>();
  readonly #tracer: Tracer;
  readonly #tracers: TracerProvider;
  readonly #meters: MeterProvider;
  readonly #instruments: Instruments;
  readonly #failures: { readonly traces: number; readonly metrics: number };

  constructor(
    { settings, version }: TelemetryOptions,
    exporters: Exporters,
    failures: { readonly traces: number; readonly metrics: number },
  ) {
    this.#failures = failures;
    const resource = resourceFromAttributes({ 'service.version': version, ...settings.resource });
    const batching = {
      scheduledDelayMillis: settings.spanDelayMs,
      maxQueueSize: settings.spanQueueMax,
      maxExportBatchSize: Math.min(settings.spanBatchMax, settings.spanQueueMax),
    };
    this.#tracers = new TracerProvider({
      resource,
      sampler: samplerOf(exporters.spans === null ? { sampler: 'always_off', ratio: 0 } : settings),
      spanProcessors:
        exporters.spans === null
          ? []
          : [new BatchSpanProcessor({ exporter: exporters.spans, ...batching })],
    });
    const interval = settings.metricIntervalMs;
    this.#meters = new MeterProvider({
      resource,
      readers:
        exporters.metrics === null
          ? []
          : [
              new PeriodicExportingMetricReader({
                exporter: exporters.metrics,
                exportIntervalMillis: interval,
                exportTimeoutMillis: Math.min(settings.metricTimeoutMs, interval),
              }),
            ],
    });
    this.#tracer = this.#tracers.getTracer(SCOPE, version);
    this.#instruments = new Instruments(this.#meters.getMeter(SCOPE, version));
  }

  startSpan(name: string, options: SpanOptions = {}): OpenSpan {
    const { kind = 'internal', attributes = {}, traceparent, startedAt } = options;
    const remote = parseTraceparent(traceparent);
    const parent =
      remote === undefined
        ? (this.#working.getStore() ?? ROOT_CONTEXT)
        : trace.setSpanContext(ROOT_CONTEXT, remote);
    const span = this.#tracer.startSpan(
      name,
      {
        kind: KINDS[kind],
        attributes: { ...attributes },
        ...(startedAt === undefined ? {} : { startTime: startedAt }),
      },
      parent,
    );
    return new OtlpSpan(span, trace.setSpan(parent, span), this.#working);
  }

  currentTraceparent(): string | undefined {
    const context = this.#working.getStore();
    const span = context && trace.getSpan(context);
    return span && traceparentOf(span);
  }

  failures() {
    return { ...this.#failures };
  }

  get record(): Telemetry['record'] {
    return this.#instruments.record;
  }

  get read(): Telemetry['read'] {
    return this.#instruments.read;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = Promise.allSettled([this.#tracers.shutdown(), this.#meters.shutdown()]);
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, CLOSE_TIMEOUT_MS);
    await Promise.race([ended, late.promise]);
    clearTimeout(timer);
  }
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const;

class OtlpSpan implements OpenSpan {
  readonly #span: Span;
  readonly #context: Context;
  readonly #working: AsyncLocalStorage<Context>;

  constructor(span: Span, context: Context, working: AsyncLocalStorage<Context>) {
    this.#span = span;
    this.#context = context;
    this.#working = working;
  }

  get traceparent(): string | undefined {
    return traceparentOf(this.#span);
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes({ ...attributes });
  }

  fail(type: string): void {
    this.#span.setAttribute('error.type', type);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  run<T>(work: () => T): T {
    return this.#working.run(this.#context, work);
  }

  end(at?: number): void {
    this.#span.end(at);
  }
}

function traceparentOf(span: Span): string | undefined {
  const context = span.spanContext();
  return (context.traceFlags & TraceFlags.SAMPLED) === 0 ? undefined : formatTraceparent(context);
}

/** A receiver may be away for a night: the log must not repeat it every few seconds. */
const REPEATED_AFTER_MS = 600_000;

/**
 * Logs what OpenTelemetry reports about itself, above all failed exports; the same text once in ten
 * minutes.
 */
function reportFaults(logger: Pick<Logger, 'warn'>): void {
  const told = new Map<string, number>();
  const tell = (message: unknown): void => {
    const text = String(message).slice(0, 500);
    const now = performance.now();
    const before = told.get(text);
    if (before !== undefined && now - before < REPEATED_AFTER_MS) return;
    if (told.size > 100) told.clear();
    told.set(text, now);
    logger.warn({ telemetry: text }, 'telemetry is not exported as it should be');
  };
  const ignore = (): void => {};
  diag.setLogger(
    { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/**
 * In seconds. These are the boundaries that the semantic conventions advise for HTTP, and smaller
 * ones, because a small call takes a millisecond.
 */
const DURATION_BOUNDARIES = [
  0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5,
  10, 60,
];

/** The metrics of the catalogue as instruments of OpenTelemetry. */
class Instruments {
  readonly #meter: Meter;
  readonly #recorded: Readonly<Record<RecordedMetric, Histogram | UpDownCounter>>;

  constructor(meter: Meter) {
    this.#meter = meter;
    const counter = (name: RecordedMetric) => meter.createUpDownCounter(name, optionsOf(name));
    const histogram = (name: RecordedMetric) =>
      meter.createHistogram(name, {
        ...optionsOf(name),
        advice: { explicitBucketBoundaries: DURATION_BOUNDARIES },
      });
    this.#recorded = {
      'http.server.request.duration': histogram('http.server.request.duration'),
      'http.server.active_requests': counter('http.server.active_requests'),
      'http.client.request.duration': histogram('http.client.request.duration'),
      'trellis.endpoint.duration': histogram('trellis.endpoint.duration'),
      'trellis.webhook.duration': histogram('trellis.webhook.duration'),
      'trellis.connector.duration': histogram('trellis.connector.duration'),
      'trellis.commit.duration': histogram('trellis.commit.duration'),
      'trellis.lease.renewal.duration': histogram('trellis.lease.renewal.duration'),
    };
  }

  readonly record: Telemetry['record'] = (metric, value, attributes = {}) => {
    const instrument = this.#recorded[metric];
    if ('record' in instrument) instrument.record(value, { ...attributes });
    else instrument.add(value, { ...attributes });
  };

  readonly read: Telemetry['read'] = (metric, read) => {
    const options = optionsOf(metric);
    const observable =
      metrics[metric].kind === 'counter'
        ? this.#meter.createObservableCounter(metric, options)
        : this.#meter.createObservableGauge(metric, options);
    observable.addCallback(async (result: ObservableResult) => {
      for (const { value, attributes = {} } of await read()) {
        result.observe(value, { ...attributes });
      }
    });
  };
}

function optionsOf(name: MetricName) {
  const { unit, description } = metrics[name];
  return { unit, description };
}
