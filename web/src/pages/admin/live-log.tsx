import type { LogRecord } from '@trellis/contract/shapes/log.ts';
import { Pause, Play } from 'lucide-react';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { LEVEL_OPTIONS, levelOf } from './log-levels.ts';
import { LogRecordList } from './log-record-list.tsx';

const SHOWN_MAX = 500;

/** As it is said, the newest first. */
export function LiveLog() {
  const [query, setQuery] = useState('');
  const [level, setLevel] = useState('');
  const [isPaused, setIsPaused] = useState(false);
  const { records, error, restart } = useLiveRecords(query, level, isPaused);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-end gap-3">
        <TextField
          label="Only with this text"
          className="w-full sm:w-80"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <SelectField
          label="Level"
          value={level}
          options={LEVEL_OPTIONS}
          onChange={(event) => setLevel(event.target.value)}
        />
        <Button icon={isPaused ? Play : Pause} onClick={() => setIsPaused(!isPaused)}>
          {isPaused ? 'Go on' : 'Pause'}
        </Button>
      </div>
      {error !== undefined && (
        <ErrorPanel title="The log cannot be followed" error={error} onRetry={restart} />
      )}
      <Card isFlush>
        {records.length === 0 ? (
          <p className="px-4 py-6 text-muted" role="status">
            {isPaused ? 'Paused.' : 'Waiting for new records.'}
          </p>
        ) : (
          <LogRecordList label="Live records" records={records} />
        )}
      </Card>
    </>
  );
}

function useLiveRecords(query: string, level: string, isPaused: boolean) {
  const [records, setRecords] = useState<readonly LogRecord[]>([]);
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (isPaused) return undefined;
    const leaving = new AbortController();
    setError(undefined);
    const follow = async () => {
      const filter = { query: query || undefined, level: levelOf(level) };
      for await (const event of client.logs.watch(filter, { signal: leaving.signal })) {
        if (event.kind !== 'line') continue;
        setRecords((last) => [event.line, ...last].slice(0, SHOWN_MAX));
      }
    };
    follow().catch((reason: unknown) => {
      if (!leaving.signal.aborted) setError(reason);
    });
    return () => leaving.abort();
  }, [query, level, isPaused, attempt]);
  return { records, error, restart: () => setAttempt((last) => last + 1) };
}
