import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Job, JobState } from '@trellis/contract/shapes/job.ts';
import { Timer } from 'lucide-react';
import { tellsOfJobs, useLiveQueries } from '../../app/live-queries.ts';
import { client } from '../../api/client.ts';
import { atSkip } from '../../app/search-params.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectField } from '../../ui/field.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Pager } from '../../ui/pager.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { JobPanel } from './job-panel.tsx';
import { KIND_WORDS, STATE_TONES } from './job-words.ts';

const JOBS_KEY = ['jobs'];
const tellsOfAny = tellsOfJobs();

const route = getRouteApi('/workspace/admin/jobs');
const TAKE = 25;
const STATES: readonly JobState[] = [
  'running',
  'queued',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
];

/** Long pieces of work: what runs, how far it is, and what came of it. */
export function JobsPage() {
  const { state, job, skip = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const chosen = STATES.find((one) => one === state);
  const jobs = useQuery({
    queryKey: ['jobs', chosen, skip],
    queryFn: ({ signal }) =>
      client.jobs.list({ ...(chosen && { state: chosen }), skip, take: TAKE }, { signal }),
    placeholderData: (last) => last,
  });
  useLiveQueries(JOBS_KEY, tellsOfAny);
  return (
    <>
      <PageHeader
        title="Jobs"
        description="Work that the server does in the background. This page updates by itself."
        actions={<StateFilter state={chosen} />}
      />
      <Card isFlush>
        <QueryView query={jobs} errorTitle="The jobs could not be read">
          {({ items, total }) => (
            <>
              <JobTable
                jobs={items}
                onOpen={(id) => void navigate({ search: (last) => ({ ...last, job: id }) })}
              />
              <Pager
                {...{ skip, total }}
                take={TAKE}
                shown={items.length}
                onSkip={(next) => void navigate({ search: atSkip(next) })}
              />
            </>
          )}
        </QueryView>
      </Card>
      {job !== undefined && (
        <JobPanel
          key={job}
          id={job}
          onClose={() => void navigate({ search: (last) => ({ ...last, job: undefined }) })}
        />
      )}
    </>
  );
}

function StateFilter({ state }: { readonly state: JobState | undefined }) {
  const navigate = route.useNavigate();
  return (
    <SelectField
      label="State"
      isLabelHidden
      value={state ?? ''}
      options={[
        { value: '', label: 'All states' },
        ...STATES.map((value) => ({ value, label: value })),
      ]}
      onChange={(event) => void navigate({ search: { state: event.target.value || undefined } })}
    />
  );
}

interface JobTableProps {
  readonly jobs: readonly Job[];
  readonly onOpen: (id: string) => void;
}

function JobTable({ jobs, onOpen }: JobTableProps) {
  if (jobs.length === 0) {
    return (
      <EmptyState icon={Timer} title="No jobs">
        Work such as building the search index after a change of its settings appears here.
      </EmptyState>
    );
  }
  return (
    <DataTable
      label="Jobs"
      rows={jobs}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Job',
          cell: (job) => (
            <button type="button" className="text-left underline" onClick={() => onOpen(job.id)}>
              {KIND_WORDS[job.kind]}
            </button>
          ),
        },
        { title: 'State', cell: ({ state }) => <Badge tone={STATE_TONES[state]}>{state}</Badge> },
        {
          title: 'Progress',
          cell: (job) => <ProgressBar label={job.waitingFor ?? job.step} fraction={job.progress} />,
        },
        { title: 'Started', isMinor: true, cell: ({ startedAt }) => <Time iso={startedAt} /> },
        { title: 'Actions', isTitleHidden: true, cell: (job) => <CancelButton job={job} /> },
      ]}
    />
  );
}

function CancelButton({ job }: { readonly job: Job }) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => client.jobs.cancel(job.id),
    onSuccess: () => {
      toastDone('The job is being cancelled');
      return queries.invalidateQueries({ queryKey: ['jobs'] });
    },
    onError: (error) => toastError('The job could not be cancelled', error),
  });
  if (job.endedAt !== null || !job.isCancellable) return null;
  return (
    <Button
      size="small"
      disabled={!permission.isAllowed}
      title={permission.reason}
      isBusy={cancel.isPending}
      onClick={() => cancel.mutate()}
    >
      Cancel
    </Button>
  );
}
