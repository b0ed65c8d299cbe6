import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Job } from '@trellis/contract/shapes/job.ts';
import { Archive, Play } from 'lucide-react';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { liveConnection } from '../../app/live-connection.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Pager } from '../../ui/pager.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { BackupTable } from './backup-table.tsx';
import { JobPanel } from './job-panel.tsx';
import { KIND_WORDS } from './job-words.ts';

const TAKE = 25;

/** Copies of the workspace: what there is, one more now, whether one is good. */
export function BackupsPage() {
  const [skip, setSkip] = useState(0);
  const [openJob, setOpenJob] = useState<string>();
  const backups = useQuery({
    queryKey: ['backups', skip],
    queryFn: ({ signal }) => client.backups.list({ skip, take: TAKE }, { signal }),
    placeholderData: (last) => last,
  });
  const running = useRunningJob();
  const target = backups.data?.target ?? null;
  return (
    <>
      <PageHeader
        title="Backups"
        description={target === null ? 'Copies of the workspace.' : `Kept in ${target}.`}
        actions={target !== null && <RunButton isBusy={running !== undefined} />}
      />
      {running !== undefined && <RunningCard job={running} onOpen={() => setOpenJob(running.id)} />}
      <Card isFlush>
        <QueryView query={backups} errorTitle="The backups could not be read">
          {({ items, total }) =>
            items.length === 0 ? (
              <NoBackups hasTarget={target !== null} />
            ) : (
              <>
                <BackupTable backups={items} isBusy={running !== undefined} />
                <Pager {...{ skip, total }} take={TAKE} shown={items.length} onSkip={setSkip} />
              </>
            )
          }
        </QueryView>
      </Card>
      {openJob !== undefined && (
        <JobPanel key={openJob} id={openJob} onClose={() => setOpenJob(undefined)} />
      )}
    </>
  );
}

function NoBackups({ hasTarget }: { readonly hasTarget: boolean }) {
  if (hasTarget) {
    return (
      <EmptyState icon={Archive} title="No backups yet">
        The first one reads the whole workspace; those after it only what has changed.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={Archive} title="No place for backups is set up">
      Start the server with <code className="font-mono">MSK_GRAPH_BACKUP_FOLDER</code>: a folder on
      another disk, or <code className="font-mono">s3://bucket/prefix</code>.
    </EmptyState>
  );
}

function RunButton({ isBusy }: { readonly isBusy: boolean }) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const run = useMutation({
    mutationFn: () => client.backups.run(),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['jobs'] }),
    onError: (error) => toastError('The backup could not begin', error),
  });
  return (
    <Button
      kind="primary"
      icon={Play}
      disabled={!permission.isAllowed || isBusy}
      title={permission.reason}
      isBusy={run.isPending}
      onClick={() => run.mutate()}
    >
      Back up now
    </Button>
  );
}

/** The job on backups that runs now. When it ends, the list is read again. */
function useRunningJob(): Job | undefined {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['jobs', 'of backups'],
    queryFn: ({ signal }) => client.jobs.list({ state: 'running', take: 50 }, { signal }),
  });
  useEffect(
    () =>
      liveConnection.onMessage((message) => {
        if (message.type !== 'JOB_CHANGED' || !isOfBackups(message.job)) return;
        void queries.invalidateQueries({ queryKey: ['jobs'] });
        if (message.job.endedAt === null) return;
        tellEnd(message.job);
        void queries.invalidateQueries({ queryKey: ['backups'] });
      }),
    [queries],
  );
  return data?.items.find(isOfBackups);
}

function isOfBackups({ kind }: Pick<Job, 'kind'>): boolean {
  return kind === 'backup' || kind === 'backup-verification';
}

function tellEnd({ kind, state, error }: Job): void {
  const what = kind === 'backup' ? 'The backup' : 'The verification';
  if (state === 'succeeded') {
    toastDone(kind === 'backup' ? 'The backup is made' : 'The backup is intact');
  } else if (error !== undefined) toastError(`${what} failed`, new Error(error.message));
}

function RunningCard({ job, onOpen }: { readonly job: Job; readonly onOpen: () => void }) {
  return (
    <Card title={KIND_WORDS[job.kind]}>
      <div className="flex flex-col gap-3">
        <ProgressBar label={job.step} fraction={job.progress} />
        <div>
          <Button size="small" onClick={onOpen}>
            Show the job
          </Button>
        </div>
      </div>
    </Card>
  );
}
