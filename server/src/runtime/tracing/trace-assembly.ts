import type { CallTrace, TraceSpan, TraceSpanFacts } from '@trellis/contract/shapes/call-trace.ts';
import { z } from 'zod';
import { TRACE_SPANS_MAX, TRACE_TEXT_CHARACTERS_MAX } from '#base/trace-limits.ts';
import { querySummary } from './query-summary.ts';
import type { Attempt, CallRecording, RecordedSpan } from './call-recording.ts';

/** A wait that is shorter is none. */
const WAIT_MS_MIN = 0.2;

const ms = z.number().min(0);
const count = z.int().min(0);
const text = z.string().max(TRACE_TEXT_CHARACTERS_MAX);

const query = z.object({
  startMs: ms,
  ms,
  code: text.optional(),
  access: z.enum(['key', 'index', 'scan', 'edges', 'search', 'vectors']).optional(),
  index: text.optional(),
  rowsRead: count.optional(),
  rowsGiven: count.optional(),
});

/** A `NotedRead`, likewise. */
const notedRead = z.union([
  z.object({ query, payload: z.string() }),
  z.object({ operation: text, count: z.int().min(1) }),
]);

/** A `ToldTrace`, of whatever a worker has sent. */
const toldTrace = z.object({
  ms,
  cpuMs: ms.nullable(),
  heapBytes: count,
  queries: z.array(query.extend({ summary: text })).max(TRACE_SPANS_MAX),
  reads: z
    .array(
      z.object({
        operation: text,
        count: z.int().min(1),
        startMs: ms.nullable(),
        ms: ms.nullable(),
        busyMs: ms.nullable(),
      }),
    )
    .max(16),
});
type Told = z.infer<typeof toldTrace>;

export type AssembledTrace = Pick<
  CallTrace,
  'spans' | 'counted' | 'attempts' | 'cpuMs' | 'heapBytes'
>;

/**
 * The spans of a call that has ended and of those that it has made, of what this thread has
 * recorded and of what workers have told. `shownPlace` says what was in conflict.
 */
export function assembleTrace(
  recording: CallRecording,
  shownPlace: (place: string) => string,
): AssembledTrace {
  return new Assembly(recording, shownPlace).trace();
}

class Assembly {
  readonly #root: CallRecording;
  readonly #shownPlace: (place: string) => string;
  readonly #endedAt = performance.now();
  readonly #spans: TraceSpan[];
  readonly #counted: Map<string, number>;
  #lastId: number;
  #cpuMs: number | null = null;
  #heapBytes: number | null = null;

  constructor(root: CallRecording, shownPlace: (place: string) => string) {
    this.#root = root;
    this.#shownPlace = shownPlace;
    const { spans, counted } = root.family;
    this.#counted = new Map(counted);
    this.#lastId = spans.length;
    this.#spans = spans.filter(({ kind }) => kind !== 'attempt').map((span) => this.#shown(span));
  }

  trace(): AssembledTrace {
    this.#take(this.#root);
    return {
      spans: this.#spans.toSorted((a, b) => a.startMs - b.startMs || a.id - b.id),
      counted: [...this.#counted].map(([name, number]) => ({ name, count: number })),
      attempts: this.#root.attempts.length,
      cpuMs: this.#cpuMs === null ? null : rounded(this.#cpuMs),
      heapBytes: this.#heapBytes,
    };
  }

  #take(recording: CallRecording): void {
    const { under, attempts, calls = [] } = recording;
    for (const [place, attempt] of attempts.entries()) {
      const { from, startedAt, conflict } = attempt;
      const hasTurn = attempts[place - 1]?.hasTurn === true;
      if (startedAt - from >= WAIT_MS_MIN || hasTurn) {
        const kind = hasTurn ? 'turn' : 'wait';
        this.#add(under, kind, '', { startedAt: from, endedAt: startedAt });
      }
      const facts = conflict === undefined ? {} : { conflict: this.#shownPlace(conflict) };
      const error = conflict === undefined ? null : 'write_conflict';
      const endedAt = attempt.endedAt ?? this.#endedAt;
      const id = this.#add(
        under,
        'attempt',
        '',
        { startedAt, endedAt, facts, error },
        attempt.span,
      );
      const told = toldOf(attempt);
      const { toldAt } = attempt;
      if (told !== undefined) this.#takeTold(id ?? null, { told, toldAt }, { startedAt, endedAt });
    }
    for (const call of calls) this.#take(call);
  }

  /** The clock of a worker is another one: what it tells ends when this thread heard of it. */
  #takeTold(
    parent: number | null,
    { told, toldAt }: { readonly told: Told; readonly toldAt: number },
    { startedAt, endedAt }: Times,
  ): void {
    const { cpuMs, heapBytes, queries, reads } = told;
    if (cpuMs !== null) this.#cpuMs = (this.#cpuMs ?? 0) + cpuMs;
    if (heapBytes > 0) this.#heapBytes = Math.max(this.#heapBytes ?? 0, heapBytes);
    const begin = Math.max(startedAt, toldAt - told.ms);
    const timesOf = (startMs: number, spanMs: number): Times => ({
      startedAt: Math.min(endedAt, begin + startMs),
      endedAt: Math.min(endedAt, begin + startMs + spanMs),
    });
    // Few spans that stand for many.
    for (const { operation, count: number, startMs, ms: spanMs, busyMs } of reads) {
      if (startMs === null || spanMs === null || busyMs === null) {
        this.#count(operation, number);
        continue;
      }
      const facts = { count: number, busyMs: rounded(busyMs) };
      this.#add(parent, 'reads', operation, { ...timesOf(startMs, spanMs), facts });
    }
    for (const { startMs, ms: spanMs, summary, code = null, ...facts } of queries) {
      const times = timesOf(startMs, spanMs);
      this.#add(parent, 'query', summary, { ...times, facts, error: code });
    }
  }

  /** The id of the span; undefined when there are too many. */
  #add(
    parent: number | null,
    kind: TraceSpan['kind'],
    name: string,
    { startedAt, endedAt, facts = {}, error = null }: AddedSpan,
    known?: number,
  ): number | undefined {
    // Those that are known were counted when they were recorded.
    if (known === undefined && this.#lastId >= TRACE_SPANS_MAX) {
      this.#count(kind, 1);
      return undefined;
    }
    const id = known ?? ++this.#lastId;
    this.#spans.push(this.#shown({ id, parent, kind, name, startedAt, endedAt, error, facts }));
    return id;
  }

  #count(name: string, number: number): void {
    this.#counted.set(name, (this.#counted.get(name) ?? 0) + number);
  }

  #shown({ id, parent, kind, name, startedAt, endedAt, error, facts }: RecordedSpan): TraceSpan {
    const startMs = Math.max(0, startedAt - this.#root.family.startedAt);
    const spanMs = Math.max(0, (endedAt ?? this.#endedAt) - startedAt);
    return { id, parent, kind, name, startMs: rounded(startMs), ms: rounded(spanMs), error, facts };
  }
}

interface Times {
  readonly startedAt: number;
  readonly endedAt: number;
}

interface AddedSpan extends Times {
  readonly facts?: TraceSpanFacts;
  readonly error?: string | null;
}

function toldOf({ told, noted }: Attempt): Told | undefined {
  const known = told === undefined ? undefined : parsedAs(toldTrace, told);
  return noted.length === 0 ? known : withNoted(known ?? NOTHING_TOLD, noted);
}

function parsedAs<T>(shape: z.ZodType<T>, json: string): T | undefined {
  try {
    return shape.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

/** What a worker had told last, and what it noted after that. */
function withNoted(told: Told, noted: readonly string[]): Told {
  const reads = noted.flatMap((json) => parsedAs(notedRead, json) ?? []);
  const knownUntil = Math.max(-1, ...told.queries.map(({ startMs }) => startMs));
  const queries = reads
    .flatMap((read) => ('query' in read ? [read] : []))
    .filter((read) => read.query.startMs > knownUntil)
    .map((read) => ({ ...read.query, summary: querySummary(read.payload) }));
  const others = new Map(told.reads.map((one) => [one.operation, one]));
  for (const read of reads) {
    if ('query' in read || (others.get(read.operation)?.count ?? 0) >= read.count) continue;
    others.set(read.operation, { ...NOT_TIMED, ...others.get(read.operation), ...read });
  }
  const all = [...told.queries, ...queries].toSorted((a, b) => a.startMs - b.startMs);
  return { ...told, queries: all, reads: [...others.values()] };
}

const NOTHING_TOLD: Told = { ms: 0, cpuMs: null, heapBytes: 0, queries: [], reads: [] };
const NOT_TIMED = { startMs: null, ms: null, busyMs: null };

function rounded(milliseconds: number): number {
  return Number(milliseconds.toFixed(3));
}
