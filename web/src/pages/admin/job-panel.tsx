import type { Job, JobLine } from '@trellis/contract/shapes/job.ts';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { SidePanel } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { FieldList } from '../../ui/field-list.tsx';
import { formatMs } from '../../ui/format.ts';
import { formatMoment } from '../../ui/format-moment.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { KIND_WORDS, STATE_TONES } from './job-words.ts';

interface JobPanelProps {
  readonly id: string;
  readonly onClose: () => void;
}

interface WatchedJob {
  readonly job: Job | undefined;
  readonly lines: readonly JobLine[];
  readonly error: unknown;
}

/** One job as it goes on. */
export function JobPanel({ id, onClose }: JobPanelProps) {
  const { job, lines, error } = useWatchedJob(id);
  return (
    <SidePanel isOpen onClose={onClose} title={job === undefined ? 'Job' : KIND_WORDS[job.kind]}>
      {error !== undefined && <ErrorPanel title="The job could not be read" error={error} />}
      {job === undefined && error === undefined && <Skeleton />}
      {job !== undefined && (
        <div className="flex flex-col gap-4">
          <ProgressBar label={job.step} fraction={job.progress} />
          <FieldList
            items={[
              { name: 'State', value: <Badge tone={STATE_TONES[job.state]}>{job.state}</Badge> },
              ...(job.waitingFor === undefined
                ? []
                : [{ name: 'Waits for', value: job.waitingFor }]),
              ...(job.error === undefined
                ? []
                : [{ name: 'Error', value: `${job.error.message} (${job.error.code})` }]),
              { name: 'Started', value: <Time iso={job.startedAt} isExact /> },
              {
                name: 'Ended',
                value: job.endedAt === null ? 'Not yet' : <Time iso={job.endedAt} isExact />,
              },
            ]}
          />
          <JobLog job={job} lines={lines} />
        </div>
      )}
    </SidePanel>
  );
}

function JobLog({ job, lines }: { readonly job: Job; readonly lines: readonly JobLine[] }) {
  return (
    <section aria-label="Log of the job">
      <div className="mb-1 flex items-baseline justify-between gap-3">
        <h3 className="font-medium">Log</h3>
        <Link to="/admin/logs" search={{ job: job.id, range: 'all' }} className="underline">
          In the log of the server
        </Link>
      </div>
      {lines.length === 0 && job.endedAt === null ? (
        <p className="text-muted">It has logged nothing yet.</p>
      ) : (
        <ol className="max-h-96 overflow-y-auto rounded-control border bg-sunken p-2 font-mono text-xs">
          {lines.map((line) => (
            <LogLine key={`${line.at} ${line.text}`} at={line.at}>
              {line.text}
            </LogLine>
          ))}
          {job.endedAt !== null && (
            <LogLine at={job.endedAt}>
              The job has ended: {job.state}, after {tookText(job.startedAt, job.endedAt)}
            </LogLine>
          )}
        </ol>
      )}
    </section>
  );
}

function LogLine({ at, children }: { readonly at: string; readonly children: ReactNode }) {
  return (
    <li>
      <time dateTime={at} className="text-muted tabular-nums">
        {formatMoment(at)}
      </time>{' '}
      {children}
    </li>
  );
}

function tookText(startedAt: string, endedAt: string): string {
  return formatMs(Date.parse(endedAt) - Date.parse(startedAt));
}

function useWatchedJob(id: string): WatchedJob {
  const [watched, setWatched] = useState<WatchedJob>({
    job: undefined,
    lines: [],
    error: undefined,
  });
  useEffect(() => {
    const leaving = new AbortController();
    const watch = async () => {
      for await (const event of client.jobs.watch(id, { signal: leaving.signal })) {
        setWatched((last) => {
          if (event.kind === 'job') return { ...last, job: event.job };
          if (event.kind === 'log') return { ...last, lines: [...last.lines, event.line] };
          return last;
        });
      }
    };
    watch().catch((error: unknown) => {
      if (!leaving.signal.aborted) setWatched((last) => ({ ...last, error }));
    });
    return () => leaving.abort();
  }, [id]);
  return watched;
}
