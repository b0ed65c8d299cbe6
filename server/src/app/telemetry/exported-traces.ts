import type { TraceSpan } from '@trellis/contract/shapes/call-trace.ts';
import type { Attributes, Telemetry } from '#observe/telemetry/telemetry.ts';
import type { TraceExport } from '#runtime/tracing/exported-spans.ts';

/** Spans for what traces of calls tell; undefined without telemetry. */
export function traceExport(telemetry: Telemetry | undefined): TraceExport | undefined {
  if (telemetry === undefined) return undefined;
  return ({ traceparent, span, startedAt, endedAt }) => {
    const exported = telemetry.startSpan(NAMES[span.kind] ?? span.name, {
      traceparent,
      startedAt,
      attributes: attributesOf(span),
    });
    if (span.error !== null) exported.fail(span.error);
    exported.end(endedAt);
  };
}

const NAMES: Readonly<Partial<Record<TraceSpan['kind'], string>>> = {
  wait: 'wait for worker',
  turn: 'wait after conflict',
  query: 'query',
  reads: 'nodes',
  search: 'search',
};

/** By the semantic conventions for databases and models, where there are some. */
function attributesOf({ kind, name, facts }: TraceSpan): Attributes {
  const { rowsRead, rowsGiven, access, index, count, model, inputTokens, outputTokens } = facts;
  const isModel = kind === 'ai';
  const isDatabase = kind === 'query' || kind === 'reads' || kind === 'search';
  return known({
    'db.system.name': isDatabase ? 'trellis' : undefined,
    'db.operation.name': kind === 'query' ? 'query' : isDatabase ? name : undefined,
    'db.query.summary': kind === 'query' ? name : undefined,
    'db.response.returned_rows': rowsGiven,
    'trellis.query.rows_read': rowsRead,
    'trellis.query.access': access,
    'trellis.query.index': index,
    'trellis.reads.count': count,
    'gen_ai.operation.name': isModel ? name : undefined,
    'gen_ai.response.model': model,
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
  });
}

function known(attributes: Readonly<Record<string, Attributes[string] | undefined>>): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
}
