import type { EndpointAnswer, RunningEndpoint } from '@trellis/client/methods/endpoint-runs.ts';
import type { EndpointLogLine } from '@trellis/contract/shapes/endpoint-log.ts';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { useViewer } from '../../api/viewer.ts';
import { saveDownload } from '../../ui/save-download.ts';
import { endpointCallsQuery, endpointMetricsQuery } from './endpoint-queries.ts';

/** How a run has ended. */
export interface EndedRun {
  readonly answer: EndpointAnswer | undefined;
  /** Set when there is no answer. */
  readonly error: unknown;
  /** As the browser has measured it. */
  readonly tookMs: number;
  readonly lines: readonly EndpointLogLine[];
}

export interface DraftCode {
  readonly code: string;
  readonly isReadOnly: boolean;
  /** A CPU profile of the run is saved as a file. */
  readonly profile?: boolean;
}

export interface EndpointRun {
  readonly ended: EndedRun | undefined;
  readonly isRunning: boolean;
  /** The progress of a long run of mode "pooling". */
  readonly progress: Pick<RunningEndpoint, 'fraction' | 'text'> | undefined;
  /** Of what is served, or of code that is not saved. */
  start(body: string, draft?: DraftCode): Promise<void>;
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
  const start = async (body: string, draft?: DraftCode) => {
    if (running !== undefined) return;
    const leaving = new AbortController();
    last.current = leaving;
    setRunning(leaving);
    setEnded(undefined);
    const before = await newestSequence(name);
    const { signal } = leaving;
    const run = await timed(() =>
      draft === undefined
        ? runServed(name, body, signal, setPooled)
        : runDraft(name, body, draft, signal),
    );
    if (leaving.signal.aborted && last.current !== leaving) return;
    const lines = await linesSince(name, before, viewer?.uid);
    setEnded({ ...run, lines });
    setRunning(undefined);
    setPooled(undefined);
    await queries.invalidateQueries({ queryKey: endpointMetricsQuery.queryKey });
    await queries.invalidateQueries({ queryKey: endpointCallsQuery(name).queryKey });
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

function runServed(
  name: string,
  body: string,
  signal: AbortSignal,
  onRunning: (run: RunningEndpoint) => void,
): Promise<EndpointAnswer> {
  const sent = body.trim() === '' ? undefined : body;
  return client.endpoints.runForAnswer(name, sent, { signal, onRunning, forcePrimary: true });
}

async function runDraft(
  name: string,
  text: string,
  draft: DraftCode,
  signal: AbortSignal,
): Promise<EndpointAnswer> {
  const body: { body?: unknown } = text.trim() === '' ? {} : { body: JSON.parse(text) as unknown };
  const ran = await client.build.runDraft({ name, ...draft, ...body }, { signal });
  if (ran.profile !== undefined && ran.profile !== null) {
    const file = new Blob([JSON.stringify(ran.profile)]);
    await saveDownload(file.stream(), `${name.replaceAll('/', '-')}.cpuprofile`);
  }
  if (ran.error !== null) {
    throw new TrellisError(ran.error.message, { status: ran.status, ...ran.error });
  }
  return { status: ran.status, headers: new Headers(), text: JSON.stringify(ran.body) };
}

async function timed(run: () => Promise<EndpointAnswer>): Promise<Omit<EndedRun, 'lines'>> {
  const startMs = performance.now();
  const outcome = await run().then(
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
