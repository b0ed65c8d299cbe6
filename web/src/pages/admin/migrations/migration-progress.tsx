import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from '../../../api/client.ts';
import { liveConnection } from '../../../app/live-connection.ts';
import { ProgressBar } from '../../../ui/progress-bar.tsx';

/** How far the job is that runs a migration; the server tells as it goes on. */
export function MigrationProgress({ jobId }: { readonly jobId: string }) {
  const queries = useQueryClient();
  const { data: job } = useQuery({
    queryKey: progressKey(jobId),
    queryFn: ({ signal }) => client.jobs.get(jobId, { signal }),
  });
  useEffect(
    () =>
      liveConnection.onMessage((message) => {
        if (message.type !== 'JOB_CHANGED' || message.job.id !== jobId) return;
        queries.setQueryData(progressKey(jobId), message.job);
      }),
    [queries, jobId],
  );
  return job === undefined ? null : <ProgressBar label={job.step} fraction={job.progress} />;
}

function progressKey(jobId: string) {
  return ['migration-progress', jobId] as const;
}
