import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Job } from '@trellis/contract/shapes/job.ts';
import { useNames } from '../../../api/names.ts';
import { Button } from '../../../ui/button.tsx';
import { describeError } from '../../../ui/error-text.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Time } from '../../../ui/time.tsx';
import { indexJobsQuery, indexStepOf, offendersQuery } from './index-queries.ts';

/** Jobs are kept for long; what failed before is found on their page. */
const TOLD_FOR_MS = 24 * 3_600_000;
const TOLD_MAX = 3;
/** Ids of the jobs that the viewer has read of, until the page is loaded again. */
const READ_KEY = ['failed-indexes-read'] as const;

/** An index that could not be built is not in the schema any more: only its job tells why. */
export function FailedBuilds() {
  const queries = useQueryClient();
  const { data: jobs = [] } = useQuery(indexJobsQuery);
  const { data: read } = useQuery<readonly string[]>({
    queryKey: READ_KEY,
    enabled: false,
    initialData: [],
    gcTime: Infinity,
  });
  const told = jobs.filter((job) => hasJustFailed(job) && !read.includes(job.id));
  return told.slice(0, TOLD_MAX).map((job) => (
    <div key={job.id} className="mb-4">
      <Notice tone="warning">
        <p className="font-medium">The index of {indexStepOf(job).name} was not built</p>
        <Reason job={job} />
        <div className="mt-2 flex flex-wrap items-center gap-4">
          {job.endedAt !== null && <Time iso={job.endedAt} />}
          <Link to="/admin/jobs" search={{ job: job.id }} className="font-medium underline">
            Show the job
          </Link>
          <Button size="small" onClick={() => queries.setQueryData(READ_KEY, [...read, job.id])}>
            Dismiss
          </Button>
        </div>
      </Notice>
    </div>
  ));
}

/** Nodes that share a value are there to be opened and mended. */
function Reason({ job }: { readonly job: Job }) {
  const { data: offenders = [] } = useQuery({
    ...offendersQuery(job.id),
    enabled: job.error?.code === 'not_unique',
  });
  const nameOf = useNames(offenders);
  if (offenders.length === 0) {
    const { message } = describeError(new Error(job.error?.message));
    return <p className="line-clamp-3 break-words">{message}</p>;
  }
  return (
    <>
      <p>
        Other nodes have the same values as these. Change or delete these nodes, then add the index
        again.
      </p>
      <ul aria-label="Nodes that share a value" className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
        {offenders.map((uid) => (
          <li key={uid} className="min-w-0">
            <Link to="/node/$uid" params={{ uid }} className="underline wrap-anywhere">
              {nameOf(uid)}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

function hasJustFailed({ state, endedAt }: Job): boolean {
  return state === 'failed' && endedAt !== null && Date.now() - Date.parse(endedAt) < TOLD_FOR_MS;
}
