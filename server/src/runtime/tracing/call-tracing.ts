import type { CallTrace } from '@trellis/contract/shapes/call-trace.ts';
import type { EndpointCall } from '@trellis/contract/shapes/endpoint-work.ts';
import { TRACE_INPUT_CHARACTERS_MAX, TRACE_SLOW_MS } from '#base/trace-limits.ts';
import type { GraphReader } from '#graph/reader.ts';
import { placeText } from '#graph/transactions/place-text.ts';
import type { EndpointRun } from '../invocation.ts';
import { outcomeOfCall } from '../recent-calls.ts';
import type { CallResult } from '../sandbox/endpoint-call.ts';
import { CallRecording, type RecordedSpan } from './call-recording.ts';
import type { CallTraces } from './call-traces.ts';
import { exportSpans, type TraceExport } from './exported-spans.ts';
import { assembleTrace } from './trace-assembly.ts';
import type { TraceSampler, TracingSettings } from './trace-sampler.ts';

interface CallTracingOptions {
  readonly traces: CallTraces;
  readonly settings: TracingSettings;
  readonly reader: Pick<GraphReader, 'uid' | 'typeOf'>;
  readonly traceExport?: TraceExport | undefined;
}

/** Where a call comes from. */
export interface BegunCall {
  readonly sampler: TraceSampler;
  /** Code that is not saved is always traced. */
  readonly isTrial: boolean;
  readonly parent: { readonly recording: CallRecording } | undefined;
  /** What stands for it in the trace of its parent. */
  readonly span: RecordedSpan | undefined;
}

export interface TracedCall {
  readonly run: EndpointRun;
  /** Null for code that is not saved. */
  readonly version: number | null;
  readonly kind: EndpointCall['kind'];
  /** What came of it; otherwise the error. */
  readonly result: CallResult | undefined;
  readonly error: unknown;
  /** Its endpoint has failed. */
  readonly hasFailed: boolean;
  /** When it began: milliseconds since the Unix epoch. */
  readonly begunAtMs: number;
  readonly ms: number;
}

/** Records calls, and keeps traces of some of them. */
export class CallTracing {
  readonly #options: CallTracingOptions;

  constructor(options: CallTracingOptions) {
    this.#options = options;
  }

  /** On the path of every call. */
  begin({ sampler, isTrial, parent, span }: BegunCall, now: number): CallRecording {
    if (parent !== undefined) return parent.recording.nested(span);
    return CallRecording.begin(isTrial || sampler.take(this.#options.settings, now), now);
  }

  /** On the path of every call: makes a trace of one that is worth it. */
  end(recording: CallRecording, call: TracedCall): void {
    const { family, under } = recording;
    if (call.hasFailed) family.hasFailed = true;
    if (under !== null || call.kind === 'nested') return;
    const reason = reasonOf(recording, call);
    if (reason !== undefined) family.kept.id = this.#keep(recording, call, reason);
  }

  #keep(recording: CallRecording, call: TracedCall, reason: CallTrace['reason']): string {
    const { traces, reader, traceExport } = this.#options;
    const { run, version, kind, result, error, begunAtMs, ms } = call;
    const { userUid: uid, userName } = run.caller;
    const { status, code } = outcomeOfCall(result, error);
    const assembled = assembleTrace(recording, (place) => placeText(place, reader));
    if (traceExport !== undefined) {
      exportSpans(recording, assembled.spans, begunAtMs, traceExport);
    }
    return traces.keep({
      endpoint: run.name,
      version,
      kind,
      at: new Date(begunAtMs).toISOString(),
      user: uid === null ? null : { uid, name: userName ?? '' },
      status,
      code,
      ms: Number(ms.toFixed(3)),
      reason,
      ...assembled,
      input: this.#inputOf(run.body ?? ''),
      traceId: run.traceId ?? null,
    });
  }

  #inputOf(body: string): string | null {
    const { keepsInputs } = this.#options.settings;
    return keepsInputs && body.length <= TRACE_INPUT_CHARACTERS_MAX ? body : null;
  }
}

function reasonOf(
  { family }: CallRecording,
  { kind, ms }: TracedCall,
): CallTrace['reason'] | undefined {
  if (kind === 'draft') return 'draft';
  if (family.hasFailed) return 'error';
  if (family.hasConflict) return 'conflict';
  if (ms >= TRACE_SLOW_MS) return 'slow';
  return family.isFull ? 'sampled' : undefined;
}
