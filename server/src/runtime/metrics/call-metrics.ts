import { LatencyHistogram } from './latency-histogram.ts';

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
}

/** Counts the calls of one endpoint since the server started. */
export class CallMetrics {
  readonly #latencies = new LatencyHistogram();
  #calls = 0;
  #errors = 0;
  #totalMs = 0;
  #lastEndedMs = 0;

  /** `nowMs` is that of the clock; on the path of every call. */
  record(ms: number, isError: boolean, nowMs: number): void {
    this.#calls++;
    if (isError) this.#errors++;
    this.#totalMs += ms;
    this.#lastEndedMs = nowMs;
    this.#latencies.add(ms);
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
    };
  }
}

function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Number(ms.toFixed(3));
}
