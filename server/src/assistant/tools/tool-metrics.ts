import { CallMetrics, type MetricsRow } from '#runtime/metrics/call-metrics.ts';

/** Counts the calls of tools by their names, since the server started. */
export class ToolMetrics {
  readonly #byName = new Map<string, CallMetrics>();

  /** `nowMs` is that of the clock. Only for tools that there are: so there is no more of it than of them. */
  record(tool: string, ms: number, isError: boolean, nowMs: number): void {
    this.#of(tool).record(ms, isError, nowMs);
  }

  row(tool: string): MetricsRow {
    return this.#of(tool).row();
  }

  #of(tool: string): CallMetrics {
    const known = this.#byName.get(tool) ?? new CallMetrics();
    this.#byName.set(tool, known);
    return known;
  }
}
