import type { TraceSpanFacts, TraceSpanKind } from '@trellis/contract/shapes/call-trace.ts';
import {
  TRACE_LOG_SPANS_MAX,
  TRACE_SPANS_MAX,
  TRACE_TEXT_CHARACTERS_MAX,
  TRACE_TOLD_CHARACTERS_MAX,
} from '#base/trace-limits.ts';

/** Times are those of `performance.now()`. */
export interface RecordedSpan {
  readonly id: number;
  readonly parent: number | null;
  readonly kind: TraceSpanKind;
  readonly name: string;
  readonly startedAt: number;
  /** Undefined while it is under way. */
  endedAt: number | undefined;
  error: string | null;
  facts: TraceSpanFacts;
}

/** The id of a trace, once it is kept: so that lists need not hold what was recorded. */
export interface KeptAs {
  id: string | undefined;
}

/** What is known of a call from outside and of all calls that it makes. */
class FamilyRecording {
  readonly startedAt: number;
  readonly spans: RecordedSpan[] = [];
  /** By name, what has no span; made with the first. */
  counted: Map<string, number> | undefined;
  /** Everything of it is timed in its workers. */
  isFull: boolean;
  hasConflict = false;
  hasFailed = false;
  logs = 0;
  toldCharacters = 0;
  readonly kept: KeptAs = { id: undefined };

  constructor(startedAt: number, isFull: boolean) {
    this.startedAt = startedAt;
    this.isFull = isFull;
  }
}

/** One time that the code of a call ran. */
export interface Attempt {
  /** When the waiting for it began. */
  readonly from: number;
  readonly startedAt: number;
  endedAt: number | undefined;
  /** JSON of a `ToldTrace`, from a worker that may be out of its mind. */
  told: string | undefined;
  /** When that was. */
  toldAt: number;
  /** JSON of what its worker had noted before it was killed: see `NotedRead`. */
  noted: readonly string[];
  /** What others had changed. */
  conflict: string | undefined;
  /** It waits for its turn before the next one. */
  hasTurn: boolean;
  /** Its span, once it has one. */
  span: number | undefined;
}

/**
 * What happens in one call, as the main thread sees it. Each call is recorded, as it may fail; only
 * when it has ended it is decided whether a trace is made of it. So what is noted here is little:
 * the rest is told by its workers, if at all.
 */
export class CallRecording {
  readonly family: FamilyRecording;
  /** The span that stands for this call; null for a call from outside. */
  readonly under: number | null;
  readonly attempts: Attempt[] = [];
  /** Those that it makes and that have a span. */
  calls: CallRecording[] | undefined;
  /** W3C `traceparent` of the span of its endpoint; undefined when there is none. */
  traceparent: string | undefined;
  #waitsFrom: number;

  private constructor(family: FamilyRecording, under: number | null, now: number) {
    this.family = family;
    this.under = under;
    this.#waitsFrom = now;
  }

  static begin(isFull: boolean, now = performance.now()): CallRecording {
    return new CallRecording(new FamilyRecording(now, isFull), null, now);
  }

  /** Of a call that this one makes; without a span, nothing of it is shown. */
  nested(span: RecordedSpan | undefined): CallRecording {
    const now = performance.now();
    if (span === undefined) {
      const apart = new FamilyRecording(now, false);
      return new CallRecording(apart, null, now);
    }
    const recording = new CallRecording(this.family, span.id, now);
    this.calls ??= [];
    this.calls.push(recording);
    return recording;
  }

  get isFull(): boolean {
    return this.family.isFull;
  }

  /** It was given to a worker. */
  begins(): void {
    const startedAt = performance.now();
    this.attempts.push({
      from: this.#waitsFrom,
      startedAt,
      endedAt: undefined,
      told: undefined,
      toldAt: startedAt,
      noted: [],
      conflict: undefined,
      hasTurn: false,
      span: undefined,
    });
  }

  /** What its worker tells of it, now and then and just before its end: the newest counts. */
  told(json: string): void {
    const attempt = this.attempts.at(-1);
    const { family } = this;
    if (attempt === undefined) return;
    const others = family.toldCharacters - (attempt.told?.length ?? 0);
    if (others + json.length > TRACE_TOLD_CHARACTERS_MAX) return;
    family.toldCharacters = others + json.length;
    attempt.told = json;
    attempt.toldAt = performance.now();
  }

  /** What its worker, which is killed, has noted of its reads. */
  noted(reads: readonly string[]): void {
    const attempt = this.attempts.at(-1);
    if (attempt !== undefined) attempt.noted = reads;
  }

  /** The code has ended, or its worker. */
  ends(now: number): void {
    const attempt = this.attempts.at(-1);
    if (attempt !== undefined) attempt.endedAt ??= now;
  }

  /** Others were in the way of what it has written. From now on it is traced. */
  conflicts(place: string): void {
    const attempt = this.attempts.at(-1);
    if (attempt !== undefined) attempt.conflict = place;
    this.family.hasConflict = true;
    this.family.isFull = true;
  }

  /** It is run again when it has its turn, whatever was in its way. */
  again(): void {
    const now = performance.now();
    this.ends(now);
    const attempt = this.attempts.at(-1);
    if (attempt !== undefined) attempt.hasTurn = true;
    this.#waitsFrom = now;
  }

  /** Undefined when there are too many: then it is counted. */
  begin(kind: TraceSpanKind, name: string): RecordedSpan | undefined {
    return this.#add(kind, name, undefined, {});
  }

  log(level: string, message: string): void {
    if (this.family.logs >= TRACE_LOG_SPANS_MAX) {
      this.#count('log');
      return;
    }
    this.family.logs++;
    this.#add('log', message, performance.now(), { level });
  }

  #add(
    kind: TraceSpanKind,
    name: string,
    endedAt: number | undefined,
    facts: TraceSpanFacts,
  ): RecordedSpan | undefined {
    const { spans } = this.family;
    // Its parent may get a span just before.
    if (spans.length >= TRACE_SPANS_MAX - 1) {
      this.#count(kind);
      return undefined;
    }
    const parent = this.#parentOfNew();
    const span: RecordedSpan = {
      id: spans.length + 1,
      parent,
      kind,
      name: name.slice(0, TRACE_TEXT_CHARACTERS_MAX),
      startedAt: performance.now(),
      endedAt,
      error: null,
      facts,
    };
    spans.push(span);
    return span;
  }

  /** What happens while the code runs is part of that; its span is made first. */
  #parentOfNew(): number | null {
    const attempt = this.attempts.at(-1);
    if (attempt === undefined || attempt.endedAt !== undefined) return this.under;
    return attempt.span ?? this.#spanOf(attempt);
  }

  #spanOf(attempt: Attempt): number {
    const { spans } = this.family;
    const id = spans.length + 1;
    spans.push({
      id,
      parent: this.under,
      kind: 'attempt',
      name: '',
      startedAt: attempt.startedAt,
      endedAt: undefined,
      error: null,
      facts: {},
    });
    attempt.span = id;
    return id;
  }

  #count(name: string): void {
    const counted = (this.family.counted ??= new Map());
    counted.set(name, (counted.get(name) ?? 0) + 1);
  }
}

export function endSpan(span: RecordedSpan | undefined, facts: TraceSpanFacts = {}): void {
  if (span === undefined) return;
  span.endedAt = performance.now();
  span.facts = { ...span.facts, ...facts };
}

export function failSpan(span: RecordedSpan | undefined, code: string): void {
  if (span === undefined) return;
  span.endedAt = performance.now();
  span.error = code;
}
