import type { TraceSpanFacts, TraceSpanKind } from '@trellis/contract/shapes/call-trace.ts';
import { Problem } from '#base/problem.ts';
import { guestText } from '../guest-text.ts';
import { EndCall, RunAgain } from '../sandbox/endpoint-call.ts';
import { type CallRecording, endSpan, failSpan, type RecordedSpan } from './call-recording.ts';

interface AskedSpan {
  readonly kind: TraceSpanKind;
  readonly name: string;
}

/** Does something that the trace of a call tells of. */
export async function recorded<T>(
  recording: CallRecording,
  asked: AskedSpan | undefined,
  work: (span: RecordedSpan | undefined) => Promise<T>,
): Promise<T> {
  const span = asked && recording.begin(asked.kind, asked.name);
  try {
    const result = await work(span);
    endSpan(span);
    return result;
  } catch (error) {
    failSpan(span, codeOf(error));
    throw error;
  }
}

const SPAN_KINDS: Readonly<Partial<Record<string, TraceSpanKind>>> = {
  commit: 'commit',
  run: 'run',
  runOnPrimary: 'run',
  fetch: 'fetch',
  embedQuery: 'ai',
  complete: 'ai',
  embed: 'ai',
  runAgent: 'ai',
};
/** What the trace tells of something that the code of an endpoint asks for, as it made it. */
export function askedSpan(operation: string, request: unknown): AskedSpan | undefined {
  const kind = Object.hasOwn(SPAN_KINDS, operation) ? SPAN_KINDS[operation] : undefined;
  return kind && { kind, name: spanName(operation, request) };
}

/** Of a request to another server only the host is told: the rest of a URL may be secret. */
function spanName(operation: string, request: unknown): string {
  const { path, url, name } = Object(request) as Record<string, unknown>;
  switch (operation) {
    case 'run':
      return guestText(path);
    case 'runOnPrimary':
      return `${guestText(path)} (primary)`;
    case 'fetch':
      return URL.parse(guestText(url))?.host ?? '';
    case 'runAgent':
      return `runAgent ${guestText(name)}`;
    case 'commit':
      return 'graph.commit()';
    default:
      return operation;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof RunAgain) return 'write_conflict';
  if (error instanceof EndCall) return codeOf(error.reason);
  return error instanceof Problem ? error.code : 'internal_error';
}

/** What an answer of a model tells of itself. */
export function usageOf(answer: unknown): TraceSpanFacts {
  const { model, usage } = Object(answer) as Record<string, unknown>;
  const { inputTokens, outputTokens } = Object(usage) as Record<string, unknown>;
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof inputTokens === 'number' ? { inputTokens } : {}),
    ...(typeof outputTokens === 'number' ? { outputTokens } : {}),
  };
}
