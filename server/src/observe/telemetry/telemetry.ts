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
   * A W3C `traceparent` from elsewhere; what is not one is ignored. Without it the parent is the
   * span that is being worked in.
   */
  readonly traceparent?: string | undefined;
  /** Milliseconds since the Unix epoch; now when left out. */
  readonly startedAt?: number;
}

/** A piece of work. It is told of once it has ended. */
export interface OpenSpan {
  /** The W3C `traceparent` of it; undefined when it is not sampled. */
  readonly traceparent: string | undefined;
  set(attributes: Attributes): void;
  /** It has gone wrong; `type` is the code of a problem or a class of errors, never a message. */
  fail(type: string): void;
  /** What is begun within is part of it. */
  run<T>(work: () => T): T;
  /** `at` as `startedAt`. */
  end(at?: number): void;
}

/**
 * Where the server tells what it does: spans and metrics. There is one only when it was asked for;
 * whoever is not given one pays nothing. Attributes never hold a secret, a body, or a query of a
 * URL.
 */
export interface Telemetry extends AsyncDisposable {
  startSpan(name: string, options?: SpanOptions): OpenSpan;
  /** The W3C `traceparent` of the span that is being worked in. */
  currentTraceparent(): string | undefined;
  record(metric: RecordedMetric, value: number, attributes?: Attributes): void;
  /** Reads the metric at each export, from now on. */
  read(metric: ReadMetric, read: () => readonly Reading[] | Promise<readonly Reading[]>): void;
}

/** Which span, of which trace, in the words of OpenTelemetry. */
interface RemoteSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly isRemote: true;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NONE = /^0+$/;

/** Reads the header of that name (W3C Trace Context, section 3.2); undefined for what is none. */
export function parseTraceparent(text: string | undefined): RemoteSpan | undefined {
  const [, version = '', traceId = '', spanId = '', flags = '', rest] =
    TRACEPARENT.exec(text ?? '') ?? [];
  if (version === '' || version === 'ff' || NONE.test(traceId) || NONE.test(spanId)) {
    return undefined;
  }
  // Only versions to come may have more.
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
