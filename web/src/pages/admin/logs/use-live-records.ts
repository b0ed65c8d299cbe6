import type { LogFilter, LogRecord } from '@trellis/contract/shapes/log.ts';
import { useEffect, useState } from 'react';
import { client } from '../../../api/client.ts';

const SHOWN_MAX = 500;

interface Live {
  /** Newest first. */
  readonly records: readonly LogRecord[];
  /** How many there were, also those that are not kept here any more. */
  readonly received: number;
  readonly error: unknown;
}

const NOTHING: Live = { records: [], received: 0, error: undefined };

/**
 * The records that come after those that were read (`known`, newest first), while `isOn`. All that
 * the server still has in its memory since then are asked for, so that none is missed between the
 * two requests.
 */
export function useLiveRecords(
  filter: LogFilter,
  known: readonly LogRecord[] | undefined,
  isOn: boolean,
) {
  const [live, setLive] = useState(NOTHING);
  const [paused, setPaused] = useState<Live>();
  const [attempt, setAttempt] = useState(0);
  const key = isOn && known !== undefined ? JSON.stringify(filter) : undefined;
  useEffect(() => {
    setLive(NOTHING);
    setPaused(undefined);
    if (key === undefined || known === undefined) return undefined;
    const leaving = new AbortController();
    follow(JSON.parse(key) as LogFilter, known, leaving.signal, (record) =>
      setLive(({ records, received, error }) => ({
        records: [record, ...records].slice(0, SHOWN_MAX),
        received: received + 1,
        error,
      })),
    ).catch((error: unknown) => {
      if (!leaving.signal.aborted) setLive((last) => ({ ...last, error }));
    });
    return () => leaving.abort();
  }, [key, known, attempt]);
  return {
    records: (paused ?? live).records,
    error: live.error,
    isPaused: paused !== undefined,
    /** How many have come since the pause began. */
    waiting: paused === undefined ? 0 : live.received - paused.received,
    pause: () => setPaused(live),
    goOn: () => setPaused(undefined),
    restart: () => setAttempt((last) => last + 1),
  };
}

async function follow(
  filter: LogFilter,
  known: readonly LogRecord[],
  signal: AbortSignal,
  onRecord: (record: LogRecord) => void,
): Promise<void> {
  const from = known[0]?.at;
  const shown = new Set(known.filter(({ at }) => at === from).map((one) => JSON.stringify(one)));
  const events =
    from === undefined
      ? client.logs.watch(filter, { signal })
      : client.logs.watch({ ...filter, from }, { signal, after: 0 });
  for await (const event of events) {
    if (event.kind !== 'line') continue;
    const { sequence: _sequence, ...record } = event.line;
    if (!shown.has(JSON.stringify(record))) onRecord(record);
  }
}
