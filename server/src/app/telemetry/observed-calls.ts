import { Problem } from '#base/problem.ts';
import type { CommitResult } from '#graph/operations.ts';
import type { Telemetry } from '#observe/telemetry/telemetry.ts';
import type { CallObserver } from '#runtime/sandbox/endpoint-call.ts';
import type { TimedCommit } from '../writer/writer-client.ts';

/** A span and a duration for each call of an endpoint; undefined without telemetry. */
export function callObserver(telemetry: Telemetry | undefined): CallObserver | undefined {
  if (telemetry === undefined) return undefined;
  return {
    begin: ({ endpoint, isNested }) => {
      const startedAt = performance.now();
      const span = telemetry.startSpan(`endpoint ${endpoint}`, {
        attributes: { 'trellis.endpoint.name': endpoint, 'trellis.endpoint.nested': isNested },
      });
      return {
        within: (work) => span.run(work),
        end: (fault) => {
          if (fault !== undefined) span.fail(fault);
          span.end();
          telemetry.record('trellis.endpoint.duration', (performance.now() - startedAt) / 1_000, {
            'trellis.endpoint.name': endpoint,
            'trellis.endpoint.outcome': fault ?? 'ok',
          });
        },
      };
    },
  };
}

export type ObserveCommit = (perform: () => Promise<TimedCommit>) => Promise<CommitResult>;

/** Told of a commit that is part of a trace. */
export type OnTraced = (commit: {
  readonly sequence: number;
  readonly traceparent: string;
}) => void;

/**
 * A span and a duration for each commit, and in it a span of what the writer thread has done;
 * undefined without telemetry.
 */
export function commitObserver(
  telemetry: Telemetry | undefined,
  onTraced: OnTraced,
): ObserveCommit | undefined {
  if (telemetry === undefined) return undefined;
  return async (perform) => {
    const startedAt = performance.now();
    const span = telemetry.startSpan('commit');
    let outcome = 'ok';
    try {
      const { result, startedAt: took, endedAt } = await perform();
      const { sequence } = result;
      span.set({ 'trellis.commit.sequence': sequence });
      const attributes = { 'trellis.commit.sequence': sequence, 'thread.name': 'writer' };
      span.run(() =>
        telemetry.startSpan('write commit', { startedAt: took, attributes }).end(endedAt),
      );
      const { traceparent } = span;
      if (traceparent !== undefined) onTraced({ sequence, traceparent });
      return result;
    } catch (error) {
      outcome = error instanceof Problem ? error.code : 'internal_error';
      span.fail(outcome);
      throw error;
    } finally {
      span.end();
      telemetry.record('trellis.commit.duration', (performance.now() - startedAt) / 1_000, {
        'trellis.commit.outcome': outcome,
      });
    }
  };
}
