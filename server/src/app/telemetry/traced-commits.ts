import type { Notice } from '#replication/message-shapes.ts';
import type { Telemetry } from '#observe/telemetry/telemetry.ts';
import { Problem } from '#base/problem.ts';
import type { ReplicationRole } from '../replication/open-primary.ts';
import type { ObserveCommit } from '../writer/writer-client.ts';

/** Called for each commit that is part of a trace. */
type OnTraced = (commit: { readonly sequence: number; readonly traceparent: string }) => void;

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

/**
 * The notice by which a replica learns that a commit is part of a trace: what is in the log is the
 * same with and without.
 */
const KIND = 'TraceCommit';

/**
 * Commits at most whose application, or whose notice, has not come yet: the oldest is given up when
 * there are more.
 */
const WAITING_MAX = 1_000;

/** On a primary: tells its replicas, once there are any, which commits are part of a trace. */
export class TracedCommits {
  #replication: Pick<ReplicationRole, 'announce' | 'publicUrls'> | undefined;

  announceTo(replication: Pick<ReplicationRole, 'announce' | 'publicUrls'>): void {
    this.#replication = replication;
  }

  readonly note: OnTraced = (payload) => {
    const replication = this.#replication;
    if (replication !== undefined && replication.publicUrls().length > 0)
      replication.announce({ kind: KIND, payload });
  };
}

/** When a replica has applied what ends at this sequence. Milliseconds since the Unix epoch. */
export interface AppliedChunk {
  /** The first one that was not applied before. */
  readonly from: number;
  readonly sequence: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * On a replica: brings together what was applied with the trace that it is part of, whichever is
 * known first.
 */
export class TracedApplications {
  readonly #telemetry: Telemetry;
  readonly #traces = new Map<number, string>();
  readonly #applied: AppliedChunk[] = [];

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry;
  }

  /** Whether it was a notice of this kind. */
  hear({ kind, payload }: Notice): boolean {
    if (kind !== KIND) return false;
    const { sequence, traceparent }: { sequence?: unknown; traceparent?: unknown } =
      Object(payload);
    if (typeof sequence !== 'number' || typeof traceparent !== 'string') return true;
    const chunk = this.#applied.find((one) => isWithin(sequence, one));
    if (chunk !== undefined) this.#tell(sequence, traceparent, chunk);
    else bounded(this.#traces).set(sequence, traceparent);
    return true;
  }

  applied(chunk: AppliedChunk): void {
    this.#applied.push(chunk);
    if (this.#applied.length > WAITING_MAX) this.#applied.shift();
    for (const [sequence, traceparent] of this.#traces) {
      if (!isWithin(sequence, chunk)) continue;
      this.#traces.delete(sequence);
      this.#tell(sequence, traceparent, chunk);
    }
  }

  #tell(sequence: number, traceparent: string, { startedAt, endedAt }: AppliedChunk): void {
    const attributes = { 'trellis.commit.sequence': sequence, 'thread.name': 'follower' };
    this.#telemetry
      .startSpan('apply commit', { kind: 'consumer', traceparent, startedAt, attributes })
      .end(endedAt);
  }
}

function isWithin(sequence: number, chunk: AppliedChunk): boolean {
  return sequence >= chunk.from && sequence <= chunk.sequence;
}

function bounded<K, V>(map: Map<K, V>): Map<K, V> {
  if (map.size >= WAITING_MAX) {
    for (const oldest of map.keys()) {
      map.delete(oldest);
      break;
    }
  }
  return map;
}
