import type { TraceSpan } from '@trellis/contract/shapes/call-trace.ts';
import type { CallRecording } from './call-recording.ts';

/** Takes parts of calls that have ended, for whoever watches all of the server. */
export type TraceExport = (part: ExportedSpan) => void;

export interface ExportedSpan {
  /** W3C `traceparent` of the span of the endpoint that it is part of. */
  readonly traceparent: string;
  readonly span: TraceSpan;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Those that have no span of their own while they happen: see `callObserver`. */
const KINDS: ReadonlySet<TraceSpan['kind']> = new Set([
  'wait',
  'turn',
  'query',
  'reads',
  'search',
  'ai',
]);

/** Exports what a trace tells, each part below the span of its endpoint. */
export function exportSpans(
  recording: CallRecording,
  spans: readonly TraceSpan[],
  begunAtMs: number,
  take: TraceExport,
): void {
  const root = recording.traceparent;
  // Nothing of a trace that is not sampled is exported.
  if (root === undefined) return;
  const nested = new Map(nestedIn(recording));
  const parents = new Map(spans.map(({ id, parent }) => [id, parent]));
  for (const span of spans) {
    if (!KINDS.has(span.kind)) continue;
    let above = span.parent;
    while (above !== null && !nested.has(above)) above = parents.get(above) ?? null;
    const traceparent = (above === null ? undefined : nested.get(above)) ?? root;
    const startedAt = begunAtMs + span.startMs;
    take({ traceparent, span, startedAt, endedAt: startedAt + span.ms });
  }
}

/** By the span of each call that this one makes, that of its endpoint. */
function nestedIn({ calls = [] }: CallRecording): (readonly [number, string | undefined])[] {
  return calls.flatMap((call) => [
    ...(call.under === null ? [] : [[call.under, call.traceparent] as const]),
    ...nestedIn(call),
  ]);
}
