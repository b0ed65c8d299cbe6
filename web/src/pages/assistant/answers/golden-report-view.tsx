import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type {
  GoldenAgreement,
  GoldenMetric,
  GoldenReport,
} from '@trellis/contract/shapes/golden-answers.ts';
import { Badge } from '../../../ui/badge.tsx';
import { buttonClasses } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { formatCount, formatRatio } from '../../../ui/format.ts';
import { Notice } from '../../../ui/notice.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { goldenReportQuery, goldenRunsQuery } from './golden-queries.ts';
import { GoldenResultCard } from './golden-result-card.tsx';
import {
  changeText,
  intervalText,
  isCertain,
  METRIC_WORDS,
  METRICS,
  metricText,
} from './metric-words.ts';
import { RunState } from './run-state.tsx';

const route = getRouteApi('/workspace/assistant/answers/$name');

interface GoldenReportViewProps {
  readonly name: string;
  readonly run: number;
  readonly compare: number | undefined;
}

/** A run: its metrics, how they have changed, and each answer with what it lacks and why. */
export function GoldenReportView({ name, run, compare }: GoldenReportViewProps) {
  const report = useQuery(goldenReportQuery(name, run, compare));
  return (
    <QueryView query={report} errorTitle="The run could not be read" rows={10}>
      {(found) => (
        <div className="flex flex-col gap-5">
          <ReportHead report={found} compare={compare} />
          <Agreement title="nuggets" agreement={found.agreement.nuggets} />
          <Agreement title="sentences" agreement={found.agreement.sentences} />
          {found.metrics !== null && (
            <Card title="Metrics" isFlush>
              <DataTable
                label="Metrics"
                columns={columnsOf(found)}
                rows={METRICS.filter((metric) => (found.metrics?.[metric].n ?? 0) > 0)}
                keyOf={(metric) => metric}
              />
            </Card>
          )}
          {found.results.map((result) => (
            <GoldenResultCard key={result.id} name={name} run={run} result={result} />
          ))}
        </div>
      )}
    </QueryView>
  );
}

function ReportHead({
  report,
  compare,
}: {
  readonly report: GoldenReport;
  readonly compare: number | undefined;
}) {
  const navigate = route.useNavigate();
  const { name, run, state, answered, questions, failed, model, judge, tokensUsed } = report;
  const runs = useQuery(goldenRunsQuery(name));
  const earlier = (runs.data ?? []).filter((one) => one.run !== run);
  return (
    <div className="flex flex-wrap items-end justify-between gap-4">
      <div className="flex flex-col gap-1">
        <h2 className="flex items-center gap-2 text-lg font-semibold">
          {`Run ${run}`} <RunState state={state} />
        </h2>
        <p className="text-muted">
          {`${formatCount(answered)} of ${formatCount(questions)} questions answered`}
          {failed > 0 && `, ${formatCount(failed)} failed`}
          {`; ${model}, ${judge === null ? 'no judge' : `judged by ${judge}`}; `}
          {`${formatCount(tokensUsed)} tokens.`}
        </p>
      </div>
      <div className="flex items-end gap-2">
        {earlier.length > 0 && (
          <SelectField
            label="Compare with"
            value={String(compare ?? '')}
            onChange={({ target }) =>
              void navigate({
                search: {
                  run: String(run),
                  ...(target.value !== '' && { compare: target.value }),
                },
              })
            }
            options={[
              { value: '', label: 'The run before' },
              ...earlier.map((one) => ({ value: String(one.run), label: `Run ${one.run}` })),
            ]}
          />
        )}
        <Link to="/assistant/answers/$name" params={{ name }} className={buttonClasses()}>
          All runs
        </Link>
      </div>
    </div>
  );
}

function columnsOf({ metrics, comparison }: GoldenReport): readonly Column<GoldenMetric>[] {
  return [
    {
      title: 'Metric',
      cell: (metric) => (
        <div>
          <div className="font-medium">{METRIC_WORDS[metric]}</div>
          <div className="max-w-prose text-[13px] text-muted">{metrics?.[metric].definition}</div>
        </div>
      ),
    },
    {
      title: 'Value',
      isNumber: true,
      cell: (metric) => metricText(metric, metrics?.[metric]),
    },
    {
      title: '95 % interval',
      isNumber: true,
      cell: (metric) => (metrics === null ? '' : intervalText(metric, metrics[metric])),
    },
    ...(comparison === null
      ? []
      : [
          {
            title: `Since run ${comparison.run}`,
            isNumber: true,
            cell: (metric: GoldenMetric) => {
              const change = comparison.metrics[metric];
              const text = changeText(metric, change);
              return isCertain(change) ? <Badge tone="info">{text}</Badge> : text;
            },
          },
        ]),
    {
      title: 'Questions',
      isNumber: true,
      isMinor: true,
      cell: (metric) => formatCount(metrics?.[metric].n ?? 0),
    },
  ];
}

/** How far people agree with the verdicts, where some have said so. */
function Agreement({
  title,
  agreement,
}: {
  readonly title: string;
  readonly agreement: GoldenAgreement;
}) {
  const { pairs, kappa, low, high, warning } = agreement;
  if (pairs === 0) return null;
  const interval =
    low === null || high === null ? '' : ` (${formatRatio(low)} to ${formatRatio(high)})`;
  return (
    <Notice tone={warning === null ? 'info' : 'warning'}>
      {`Agreement of people and report on ${title}: Cohen’s kappa `}
      {kappa === null ? 'is not known' : `${formatRatio(kappa)}${interval}`}
      {`, from ${formatCount(pairs)} ${pairs === 1 ? 'verdict' : 'verdicts'}. ${warning ?? ''}`}
    </Notice>
  );
}
