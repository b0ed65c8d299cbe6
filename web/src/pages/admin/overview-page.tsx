import type { HealthReport } from '@trellis/contract/shapes/health.ts';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { HEALTH_ADVICE } from '@trellis/contract/health-advice.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { formatBytes, formatCount, formatDecimal } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { FigureTile } from './figure-tile.tsx';
import { healthQuery, statisticsQuery } from './statistics.ts';
import { StaleNotice } from './stale-notice.tsx';
import { SearchIndexCard } from './search-index-card.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';

const OverviewCharts = lazyPart(async () => (await import('./overview-charts.tsx')).OverviewCharts);

export function OverviewPage() {
  return (
    <>
      <PageHeader title="Overview" description="This server: what it stores, and what it does." />
      <div className="flex flex-col gap-5">
        <Freshness />
        <Figures />
        <HealthAdvice />
        <Suspense fallback={<Skeleton />}>
          <OverviewCharts />
        </Suspense>
        <SearchIndexCard />
        <Types />
      </div>
    </>
  );
}

function Freshness() {
  return <StaleNotice queries={[useQuery(healthQuery), useQuery(statisticsQuery)]} />;
}

const STATUS_TONES = { ok: 'good', degraded: 'warning', starting: 'info' } as const;

function Figures() {
  const statistics = useQuery(statisticsQuery);
  const health = useQuery(healthQuery);
  const last = statistics.data?.samples.at(-1);
  return (
    <QueryView query={health} errorTitle="The health of the server could not be read">
      {(report) => (
        <dl className="grid grid-cols-2 gap-3 md:grid-cols-3">
          <FigureTile
            name="Server"
            value={<Badge tone={STATUS_TONES[report.status]}>{report.status}</Badge>}
            note={`${illParts(report)}${report.role}, version ${report.version}, up ${upTime(report.uptimeSeconds)}`}
          />
          <FigureTile
            name="Nodes"
            value={countOf(statistics.data?.nodes)}
            note={`${countOf(statistics.data?.edges)} edges`}
          />
          <FigureTile
            name="Commits a second"
            value={last === undefined ? '…' : formatDecimal(last.commitsPerSecond)}
            note={`sequence ${countOf(statistics.data?.sequence)}`}
          />
          <FigureTile
            name="Endpoint calls a second"
            value={last === undefined ? '…' : formatDecimal(last.callsPerSecond)}
            note="mean of the last 10 seconds"
          />
          <FigureTile
            name="Memory"
            value={formatBytes(report.memory.rssBytes)}
            note={`${formatBytes(report.memory.heapUsedBytes)} of it heap in use`}
          />
          <FigureTile
            name="Disk free"
            value={report.disk === null ? 'Unknown' : formatBytes(report.disk.freeBytes)}
            note={report.disk === null ? undefined : `of ${formatBytes(report.disk.totalBytes)}`}
          />
        </dl>
      )}
    </QueryView>
  );
}

/** What is not well, what that means, and what to do. */
function HealthAdvice() {
  const { data } = useQuery(healthQuery);
  const ill = (data?.parts ?? []).flatMap(({ name, reason }) =>
    reason === null ? [] : [{ name, reason, ...HEALTH_ADVICE[reason] }],
  );
  if (ill.length === 0) return null;
  return (
    <Notice tone="warning">
      <ul className="flex flex-col gap-1">
        {ill.map(({ name, reason, meaning, remedy }) => (
          <li key={name}>
            {name} ({reason.replaceAll('_', ' ')}): {meaning} {remedy}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** Names what is not well, before the rest. */
function illParts({ parts }: HealthReport): string {
  const ill = parts.flatMap(({ name, reason }) =>
    reason === null ? [] : [`${name} (${reason.replaceAll('_', ' ')})`],
  );
  return ill.length === 0 ? '' : `Unhealthy: ${ill.join(', ')}. `;
}

function Types() {
  const statistics = useQuery(statisticsQuery);
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      <Card title="Node types" isFlush>
        <QueryView query={statistics} errorTitle="The counts could not be read">
          {({ types }) => (
            <DataTable
              label="Nodes by type"
              rows={types}
              keyOf={({ type }) => type}
              columns={[
                { title: 'Type', cell: ({ type }) => type },
                { title: 'Nodes', isNumber: true, cell: ({ nodes }) => formatCount(nodes) },
              ]}
            />
          )}
        </QueryView>
      </Card>
      <Card title="Edge types" isFlush>
        <QueryView query={statistics} errorTitle="The counts could not be read">
          {({ edgeTypes }) => (
            <DataTable
              label="Edges by type"
              rows={edgeTypes}
              keyOf={({ type }) => type}
              columns={[
                { title: 'Type', cell: ({ type }) => type },
                { title: 'Edges', isNumber: true, cell: ({ edges }) => formatCount(edges) },
              ]}
            />
          )}
        </QueryView>
      </Card>
    </div>
  );
}

function countOf(count: number | undefined): string {
  return count === undefined ? '…' : formatCount(count);
}

function upTime(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
