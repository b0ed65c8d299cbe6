import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import type { Logger } from '../logger.ts';
import { Instruments } from './instruments.ts';
import { metricExporter, samplerOf, spanExporter, type OtlpSettings } from './otlp.ts';
import { reportFaults } from './report-faults.ts';
import type { Attributes, OpenSpan, SpanOptions, Telemetry } from './telemetry.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

export interface TelemetryOptions {
  readonly settings: OtlpSettings;
  /** `service.version`. */
  readonly version: string;
  readonly logger: Pick<Logger, 'warn'>;
}

const SCOPE = 'trellis';
/** A receiver that does not answer must not keep the process from its end. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Loads OpenTelemetry and begins to export, as the settings say. */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  reportFaults(options.logger);
  const { traces, metrics } = options.settings;
  return new OtlpTelemetry(options, {
    spans: traces && (await spanExporter(traces)),
    metrics: metrics && (await metricExporter(metrics)),
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

  constructor({ settings, version }: TelemetryOptions, exporters: Exporters) {
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
