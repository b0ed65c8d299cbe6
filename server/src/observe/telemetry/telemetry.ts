import type { ReadMetric, RecordedMetric } from './metric-catalogue.ts';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A value of a metric that is read. */
export interface Reading {
  readonly value: number;
  readonly attributes?: Attributes;
}

export interface SpanOptions {
  /** `server` answers a request from outside, `client` sends one. */
  readonly kind?: 'internal' | 'server' | 'client' | 'consumer';
  readonly attributes?: Attributes;
  /**
   * A W3C `traceparent` of the parent; an invalid one is ignored. Without it the parent is the
   * current span.
   */
  readonly traceparent?: string | undefined;
  /** Milliseconds since the Unix epoch; now when left out. */
  readonly startedAt?: number;
}

/** A piece of work that has not ended. It is exported when it ends. */
export interface OpenSpan {
  /** Its W3C `traceparent`; undefined when the span is not sampled. */
  readonly traceparent: string | undefined;
  set(attributes: Attributes): void;
  /** Marks it as failed. `type` is the code of a problem or a class of errors, never a message. */
  fail(type: string): void;
  /** Spans that begin within `work` are its children. */
  run<T>(work: () => T): T;
  /** `at` is in milliseconds since the Unix epoch; now when left out. */
  end(at?: number): void;
}

/**
 * Takes spans and metrics. It exists only when telemetry is configured; without it, nothing is
 * measured. Attributes never hold a secret, a body, or the query of a URL.
 */
export interface Telemetry extends AsyncDisposable {
  startSpan(name: string, options?: SpanOptions): OpenSpan;
  /** The W3C `traceparent` of the current span. */
  currentTraceparent(): string | undefined;
  /** How many exports have failed, by signal. */
  failures(): Readonly<Record<'traces' | 'metrics', number>>;
  record(metric: RecordedMetric, value: number, attributes?: Attributes): void;
  /** Reads the metric at each export, from now on. */
  read(metric: ReadMetric, read: () => readonly Reading[] | Promise<readonly Reading[]>): void;
}

/** The span that a `traceparent` names, as OpenTelemetry wants it. */
interface RemoteSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly isRemote: true;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NONE = /^0+$/;

/** Reads a `traceparent` (W3C Trace Context, section 3.2). Undefined for an invalid one. */
export function parseTraceparent(text: string | undefined): RemoteSpan | undefined {
  const [, version = '', traceId = '', spanId = '', flags = '', rest] =
    TRACEPARENT.exec(text ?? '') ?? [];
  if (version === '' || version === 'ff' || NONE.test(traceId) || NONE.test(spanId)) {
    return undefined;
  }
  // Only later versions may have more parts.
  if (version === '00' && rest !== undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

export function formatTraceparent(span: {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}): string {
  return `00-${span.traceId}-${span.spanId}-${(span.traceFlags & 1) === 1 ? '01' : '00'}`;
}
