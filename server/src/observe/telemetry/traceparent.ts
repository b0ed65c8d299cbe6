/** Which span, of which trace, in the words of OpenTelemetry. */
export interface RemoteSpan {
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
