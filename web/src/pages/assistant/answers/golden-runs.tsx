import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { GoldenRun } from '@trellis/contract/shapes/golden-answers.ts';
import { Play } from 'lucide-react';
import { client } from '../../../api/client.ts';
import { Card } from '../../../ui/card.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatCount } from '../../../ui/format.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { RunAction } from '../../manage/run-action.tsx';
import { GOLDEN_KEY, goldenRunsQuery } from './golden-queries.ts';
import { metricText } from './metric-words.ts';
import { RunState } from './run-state.tsx';

/** The runs of a set, newest first. */
export function GoldenRuns({ name }: { readonly name: string }) {
  const runs = useQuery(goldenRunsQuery(name));
  return (
    <QueryView query={runs} errorTitle="The runs could not be read">
      {(items) => (
        <Card isFlush>
          {items.length === 0 ? (
            <EmptyState icon={Play} title="No runs yet">
              A run asks every question as its user. It uses tokens of whoever starts it.
            </EmptyState>
          ) : (
            <DataTable
              label="Runs"
              columns={columnsOf(name)}
              rows={items}
              keyOf={({ run }) => String(run)}
            />
          )}
        </Card>
      )}
    </QueryView>
  );
}

function columnsOf(name: string): readonly Column<GoldenRun>[] {
  return [
    {
      title: 'Run',
      cell: ({ run }) => (
        <Link
          to="/assistant/answers/$name"
          params={{ name }}
          search={{ run: String(run) }}
          className="font-medium text-accent hover:underline"
        >
          {`Run ${run}`}
        </Link>
      ),
    },
    { title: 'State', cell: ({ state }) => <RunState state={state} /> },
    {
      title: 'Answers',
      isNumber: true,
      cell: ({ answered, questions }) => `${formatCount(answered)} of ${formatCount(questions)}`,
    },
    {
      title: 'Vital nuggets',
      isNumber: true,
      cell: ({ metrics }) => metricText('nuggetRecallVital', metrics?.nuggetRecallVital),
    },
    {
      title: 'Citation recall',
      isNumber: true,
      isMinor: true,
      cell: ({ metrics }) => metricText('citationRecall', metrics?.citationRecall),
    },
    {
      title: 'Leaks',
      isNumber: true,
      cell: ({ metrics }) => metricText('leaks', metrics?.leaks),
    },
    { title: 'Model', isMinor: true, cell: ({ model }) => model },
    { title: 'Judge', isMinor: true, cell: ({ judge }) => judge ?? 'None' },
    {
      title: 'Tokens',
      isNumber: true,
      isMinor: true,
      cell: ({ tokensUsed }) => formatCount(tokensUsed),
    },
    { title: 'Started', isMinor: true, cell: ({ startedAt }) => <Time iso={startedAt} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (run) =>
        run.state !== 'completed' && (
          <RunAction
            name={`run ${run.run}`}
            job={run.job}
            isRunning={run.state === 'running'}
            onResume={() => client.goldenAnswers.run(name, { resume: run.run })}
            queryKey={GOLDEN_KEY}
          />
        ),
    },
  ];
}
