import type { EndpointAnswer, RunningEndpoint } from '@trellis/client/methods/endpoint-runs.ts';
import type { EndpointLogLine } from '@trellis/contract/shapes/endpoint-log.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { useViewer } from '../../api/viewer.ts';
import { endpointMetricsQuery } from './endpoint-queries.ts';

/** How a run has ended. */
export interface EndedRun {
  readonly answer: EndpointAnswer | undefined;
  /** Set when there is no answer. */
  readonly error: unknown;
  /** As the browser has measured it. */
  readonly tookMs: number;
  readonly lines: readonly EndpointLogLine[];
}

export interface EndpointRun {
  readonly ended: EndedRun | undefined;
  readonly isRunning: boolean;
  /** The progress of a long run of mode "pooling". */
  readonly progress: Pick<RunningEndpoint, 'fraction' | 'text'> | undefined;
  start(body: string): Promise<void>;
  cancel(): void;
}

const LINES_MAX = 200;

/** Runs go to the primary: there are their log lines. */
export function useEndpointRun(name: string): EndpointRun {
  const queries = useQueryClient();
  const viewer = useViewer();
  const [ended, setEnded] = useState<EndedRun>();
  const [running, setRunning] = useState<AbortController>();
  const [pooled, setPooled] = useState<RunningEndpoint>();
  const last = useRef<AbortController>(undefined);
  useEffect(() => () => last.current?.abort(), []);
  const start = async (body: string) => {
    if (running !== undefined) return;
    const leaving = new AbortController();
    last.current = leaving;
    setRunning(leaving);
    setEnded(undefined);
    const before = await newestSequence(name);
    const run = await timed(name, body, leaving.signal, setPooled);
    if (leaving.signal.aborted && last.current !== leaving) return;
    const lines = await linesSince(name, before, viewer?.uid);
    setEnded({ ...run, lines });
    setRunning(undefined);
    setPooled(undefined);
    await queries.invalidateQueries({ queryKey: endpointMetricsQuery.queryKey });
  };
  const cancel = () => {
    // A run of mode "pooling" goes on when nobody waits for it: it is told. Whether it still was
    // there makes no difference.
    void pooled?.cancel().catch(() => undefined);
    running?.abort(new Error('You cancelled the run'));
  };
  return {
    ended,
    isRunning: running !== undefined,
    progress: pooled,
    start,
    cancel,
  };
}

async function timed(
  name: string,
  body: string,
  signal: AbortSignal,
  onRunning: (run: RunningEndpoint) => void,
): Promise<Omit<EndedRun, 'lines'>> {
  const startMs = performance.now();
  const options = { signal, onRunning, forcePrimary: true };
  const sent = body.trim() === '' ? undefined : body;
  const outcome = await client.endpoints.runForAnswer(name, sent, options).then(
    (answer) => ({ answer, error: undefined }),
    (error: unknown) => ({ answer: undefined, error }),
  );
  return { ...outcome, tookMs: performance.now() - startMs };
}

/**
 * Where the log of the endpoint ends now; what cannot be read has no lines, and the run goes on
 * without.
 */
async function newestSequence(name: string): Promise<number | undefined> {
  const lines = await client.endpoints.listLogs({ endpoint: name, take: 1 }).catch(() => undefined);
  return lines === undefined ? undefined : (lines.items[0]?.sequence ?? -1);
}

/** The oldest first. Runs that the same user makes elsewhere in the same moment are among them. */
async function linesSince(
  name: string,
  sequence: number | undefined,
  user: string | undefined,
): Promise<readonly EndpointLogLine[]> {
  if (sequence === undefined) return [];
  const page = { endpoint: name, take: LINES_MAX };
  const lines = await client.endpoints.listLogs(page).catch(() => undefined);
  return (lines?.items ?? [])
    .filter((line) => line.sequence > sequence && line.user === user)
    .toReversed();
}
