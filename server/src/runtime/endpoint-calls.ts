import { ENDPOINT_TIMEOUT_MAX_MS } from '@trellis/contract/limits.ts';
import type { Clock } from '#base/clock.ts';
import { ENDPOINT_SCANS_MAX } from '#base/limits.ts';
import type { QueryScan } from '#graph/query/run.ts';
import { RECORDED_INPUT_CHARACTERS_MAX } from '#base/endpoint-limits.ts';
import { RecentCalls } from './recent-calls.ts';
import { TraceSampler } from './tracing/trace-sampler.ts';

/** What this process knows of the calls of one endpoint. */
export interface EndpointCalls {
  readonly metrics: CallMetrics;
  readonly inputs: RecordedInputs;
  readonly recent: RecentCalls;
  readonly sampler: TraceSampler;
}

export function newCalls(): EndpointCalls {
  return {
    metrics: new CallMetrics(),
    inputs: new RecordedInputs(),
    recent: new RecentCalls(),
    sampler: new TraceSampler(),
  };
}

export interface MetricsRow {
  readonly calls: number;
  readonly errors: number;
  readonly errorRate: number;
  readonly averageMs: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  /** ISO 8601 UTC. */
  readonly lastCalledAt: string | null;
  readonly scans: readonly FieldScans[];
}

/** Queries that read many nodes for want of an index. */
export interface FieldScans {
  readonly type: string;
  readonly field: string;
  /** Of all of them. */
  readonly rowsRead: number;
  readonly calls: number;
}

/** Counts the calls of one endpoint since the server started. */
export class CallMetrics {
  readonly #latencies = new LatencyHistogram();
  #calls = 0;
  #errors = 0;
  #totalMs = 0;
  #lastEndedMs = 0;
  /** By type and field; made with the first. */
  #scans: Map<string, FieldScans> | undefined;

  /** `nowMs` is that of the clock; on the path of every call. */
  record(ms: number, isError: boolean, nowMs: number): void {
    this.#calls++;
    if (isError) this.#errors++;
    this.#totalMs += ms;
    this.#lastEndedMs = nowMs;
    this.#latencies.add(ms);
  }

  /** Takes JSON of a `QueryScan`; leaves out what is none, and fields beyond a number. */
  scanned(json: string): void {
    const { type, field, rowsRead } = parsedScan(json);
    if (typeof type !== 'string' || typeof field !== 'string') return;
    if (typeof rowsRead !== 'number' || !Number.isSafeInteger(rowsRead)) return;
    this.#scans ??= new Map();
    const name = `${type}.${field}`;
    const known = this.#scans.get(name);
    if (known === undefined && this.#scans.size >= ENDPOINT_SCANS_MAX) return;
    const calls = (known?.calls ?? 0) + 1;
    this.#scans.set(name, { type, field, rowsRead: (known?.rowsRead ?? 0) + rowsRead, calls });
  }

  get calls(): number {
    return this.#calls;
  }

  row(): MetricsRow {
    const quantile = (share: number) => rounded(this.#latencies.quantileMs(share));
    const hasCalls = this.#calls > 0;
    return {
      calls: this.#calls,
      errors: this.#errors,
      errorRate: hasCalls ? this.#errors / this.#calls : 0,
      averageMs: hasCalls ? rounded(this.#totalMs / this.#calls) : null,
      p50Ms: quantile(0.5),
      p95Ms: quantile(0.95),
      p99Ms: quantile(0.99),
      lastCalledAt: hasCalls ? new Date(this.#lastEndedMs).toISOString() : null,
      scans: [...(this.#scans?.values() ?? [])].toSorted((a, b) => b.rowsRead - a.rowsRead),
    };
  }
}

function parsedScan(json: string): { readonly [K in keyof QueryScan]?: unknown } {
  try {
    return Object(JSON.parse(json)) as object;
  } catch {
    return {};
  }
}

function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Number(ms.toFixed(3));
}

/** Shorter times are counted as this one. */
const SHORTEST_MS = 0.01;
const BUCKETS_PER_DOUBLING = 8;
const BUCKETS = Math.ceil(bucketPosition(ENDPOINT_TIMEOUT_MAX_MS)) + 1;

/** How far a quantile may be from the exact one: half a bucket, as a factor. */
export const QUANTILE_ERROR_FACTOR = 2 ** (0.5 / BUCKETS_PER_DOUBLING);

/**
 * Durations in milliseconds, counted in buckets that grow by a constant factor: any quantile is
 * known to within 5 %, in less than 2 KB, however many there were.
 */
export class LatencyHistogram {
  /** Holds numbers that do not overflow; made with the first duration. */
  #counts: Float64Array | undefined;
  #total = 0;

  add(ms: number): void {
    this.#counts ??= new Float64Array(BUCKETS);
    const bucket = ms <= SHORTEST_MS ? 0 : Math.min(BUCKETS - 1, Math.ceil(bucketPosition(ms)));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#total++;
  }

  /**
   * The duration that this share (0 to 1) of all did not exceed; undefined when there were none.
   */
  quantileMs(share: number): number | undefined {
    const rank = Math.max(1, Math.ceil(share * this.#total));
    let below = 0;
    for (const [bucket, count] of this.#counts?.entries() ?? []) {
      below += count;
      if (below >= rank) return middleMs(bucket);
    }
    return undefined;
  }
}

/** Bucket n has the durations with positions above n - 1 and up to n. */
function bucketPosition(ms: number): number {
  return Math.log2(ms / SHORTEST_MS) * BUCKETS_PER_DOUBLING;
}

function middleMs(bucket: number): number {
  return bucket === 0 ? SHORTEST_MS : SHORTEST_MS * 2 ** ((bucket - 0.5) / BUCKETS_PER_DOUBLING);
}

/** What an endpoint was called with once. */
export interface RecordedInput {
  /** Names it among those of its endpoint. */
  readonly id: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** JSON text; empty for none. */
  readonly body: string;
}

/**
 * The last bodies that one endpoint was called with, to try other versions with. None are kept
 * unless an administrator asks for it, as they hold what callers send; they stay in the memory of
 * this process and go with it.
 */
export class RecordedInputs {
  #keep = 0;
  #lastId = 0;
  #inputs: RecordedInput[] = [];

  /** How many are kept; 0 when it is switched off. */
  get keep(): number {
    return this.#keep;
  }

  /** The newest first. */
  list(): RecordedInput[] {
    return this.#inputs.toReversed();
  }

  find(id: number): RecordedInput | undefined {
    return this.#inputs.find((input) => input.id === id);
  }

  /** 0 switches it off, and forgets what there is. */
  setKeep(keep: number): void {
    this.#keep = keep;
    this.#inputs = keep === 0 ? [] : this.#inputs.slice(-keep);
  }

  /** On the path of every call. What is too long is left out. Whether it is recorded. */
  offer(body: string | null, clock: Clock): boolean {
    if (this.#keep === 0) return false;
    const text = body ?? '';
    if (text.length > RECORDED_INPUT_CHARACTERS_MAX) return false;
    if (this.#inputs.length >= this.#keep) this.#inputs.shift();
    const at = new Date(clock.now()).toISOString();
    this.#inputs.push({ id: ++this.#lastId, at, body: text });
    return true;
  }
}
