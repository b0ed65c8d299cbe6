import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { tellsOfJobs, useLiveQueries } from '../../../app/live-queries.ts';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button, buttonClasses } from '../../../ui/button.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { GOLDEN_KEY, goldenSetQuery } from './golden-queries.ts';
import { GoldenReportView } from './golden-report-view.tsx';
import { GoldenRuns } from './golden-runs.tsx';
import { QuestionsForm } from './questions-form.tsx';

const tellsOfRuns = tellsOfJobs('golden-answers');

const route = getRouteApi('/workspace/assistant/answers/$name');

const TABS = ['runs', 'questions'] as const;
type Tab = (typeof TABS)[number];

/** One set: its runs with their answers, and its questions. */
export function GoldenSetPage() {
  const { name } = route.useParams();
  const { tab, run, compare } = route.useSearch();
  const navigate = route.useNavigate();
  const set = useQuery(goldenSetQuery(name));
  useLiveQueries(GOLDEN_KEY, tellsOfRuns);
  return (
    <>
      <PageHeader
        title={name}
        description={set.data?.description}
        actions={
          <>
            <Link to="/assistant/answers" className={buttonClasses()}>
              All sets
            </Link>
            <StartRun name={name} />
          </>
        }
      />
      <QueryView query={set} errorTitle="The golden answers could not be read">
        {(content) => (
          <Tabs<Tab>
            label="Set"
            value={TABS.find((known) => known === tab) ?? 'runs'}
            onChange={(next) => void navigate({ search: next === 'runs' ? {} : { tab: next } })}
            items={[
              {
                value: 'runs',
                label: 'Runs',
                content:
                  run === undefined ? (
                    <GoldenRuns name={name} />
                  ) : (
                    <GoldenReportView name={name} run={Number(run)} compare={numberOf(compare)} />
                  ),
              },
              {
                value: 'questions',
                label: 'Questions',
                content: <QuestionsForm set={content} />,
              },
            ]}
          />
        )}
      </QueryView>
    </>
  );
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function StartRun({ name }: { readonly name: string }) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const start = useMutation({
    mutationFn: () => client.goldenAnswers.run(name),
    onSuccess: async ({ run }) => {
      await queries.invalidateQueries({ queryKey: GOLDEN_KEY });
      toastDone(`Run ${run} has begun`, name);
      void navigate({ search: {} });
    },
    onError: (error) => toastError('The run did not begin', error),
  });
  return (
    <Button
      kind="primary"
      icon={Play}
      disabled={!permission.isAllowed}
      title={permission.reason}
      isBusy={start.isPending}
      onClick={() => start.mutate()}
    >
      Run
    </Button>
  );
}
