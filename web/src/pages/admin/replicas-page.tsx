import { useMutation, useQuery } from '@tanstack/react-query';
import { HEALTH_ADVICE } from '@trellis/contract/health-advice.ts';
import type { ReplicaOverview } from '@trellis/contract/shapes/replica.ts';
import { ArrowLeftRight, ScanSearch } from 'lucide-react';
import { tellsOfView, useLiveQueries } from '../../app/live-queries.ts';
import { client } from '../../api/client.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { formatCount, formatDecimal } from '../../ui/format.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { FigureTile } from './figure-tile.tsx';
import { followerColumns } from './follower-columns.tsx';
import { LagChart } from './lag-chart.tsx';
import { ReplicaVerificationResult } from './replica-verification-result.tsx';
import { StaleNotice } from './stale-notice.tsx';
import { healthQuery, REPLICAS_KEY, replicaHealthQuery, statisticsQuery } from './statistics.ts';

const tells = tellsOfView('replicas');

export function ReplicasPage() {
  const permission = useChangePermission();
  const health = useQuery(replicaHealthQuery);
  // A primary without replication tells no lag, and refuses the list.
  const isOff = health.data !== undefined && !('currentLag' in health.data);
  useLiveQueries(REPLICAS_KEY, tells);
  const overview = useQuery({
    queryKey: [...REPLICAS_KEY, 'list'],
    queryFn: ({ signal }) => client.replicas.list({ signal }),
    enabled: health.isError || (health.data !== undefined && !isOff),
  });
  const verify = useMutation({ mutationFn: () => client.replicas.verify() });
  return (
    <>
      <PageHeader
        title="Replicas"
        description="Read-only servers that follow this primary by its commit log."
        actions={
          <Button
            icon={ScanSearch}
            isBusy={verify.isPending}
            disabled={!permission.isAllowed || (overview.data?.replicas.length ?? 0) === 0}
            title={permission.reason}
            onClick={() => verify.mutate()}
          >
            Compare with the primary
          </Button>
        }
      />
      <div className="flex flex-col gap-5">
        <StaleNotice queries={[health, overview]} />
        <LagFigures />
        {verify.isError && (
          <ErrorPanel title="The replicas could not be compared" error={verify.error} />
        )}
        {verify.data !== undefined && <ReplicaVerificationResult result={verify.data} />}
        <Card title="Registered replicas" isFlush>
          {isOff ? (
            <WhyNone />
          ) : (
            <QueryView query={overview} errorTitle="The replicas could not be read">
              {(data) => <ReplicaTable overview={data} />}
            </QueryView>
          )}
        </Card>
        <LagHistory />
      </div>
    </>
  );
}

function WhyNone() {
  const { data, isPending } = useQuery(healthQuery);
  const reason = data?.parts.find(({ name }) => name === 'replication')?.reason ?? null;
  if (isPending) return <Skeleton />;
  if (reason !== null) {
    const { meaning, remedy } = HEALTH_ADVICE[reason];
    return (
      <EmptyState icon={ArrowLeftRight} title={meaning.replace(/\.$/, '')}>
        {remedy}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={ArrowLeftRight} title="This server serves no replicas">
      Set <code className="font-mono">MSK_JWT_KEY</code> on the primary, to the key that the
      replicas will have too, and start it again.
    </EmptyState>
  );
}

function ReplicaTable({ overview }: { readonly overview: ReplicaOverview }) {
  if (overview.replicas.length === 0) {
    return (
      <EmptyState icon={ArrowLeftRight} title="No replica is registered">
        Start a server with <code className="font-mono">MSK_REPLICA=true</code> and the address of
        this primary. It needs the same key, and a license with the feature “Replicas”.
      </EmptyState>
    );
  }
  return (
    <DataTable
      label="Registered replicas"
      rows={overview.replicas}
      keyOf={({ replicaUID }) => replicaUID}
      columns={[
        {
          title: 'Name',
          cell: ({ replicaName, publicAddress }) => (
            <>
              {replicaName}
              <a href={publicAddress} className="block wrap-anywhere max-sm:hidden md:hidden">
                {publicAddress}
              </a>
            </>
          ),
        },
        {
          title: 'Address',
          isMinor: true,
          cell: ({ publicAddress }) => <a href={publicAddress}>{publicAddress}</a>,
        },
        ...followerColumns,
        {
          title: 'Last report',
          cell: ({ reportedAt }) => (reportedAt === null ? 'None yet' : <Time iso={reportedAt} />),
        },
        {
          title: 'Version',
          isMinor: true,
          cell: ({ version }) => <VersionText version={version} primary={overview.version} />,
        },
      ]}
    />
  );
}

/** All nodes must run the same version (specification, section 9). */
function VersionText({
  version,
  primary,
}: {
  readonly version: string | null;
  readonly primary: string;
}) {
  if (version === null) return 'Unknown yet';
  if (version === primary) return version;
  return <Badge tone="warning">{`${version}, the primary has ${primary}`}</Badge>;
}

function LagFigures() {
  const { data } = useQuery(replicaHealthQuery);
  if (data === undefined || data.isReplica || !('currentLag' in data)) return null;
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-4">
      <FigureTile name="Current lag" value={formatCount(data.currentLag)} note="operations" />
      <FigureTile name="Mean lag" value={formatDecimal(data.averageLag)} note="operations" />
      <FigureTile name="EMA of the lag" value={formatDecimal(data.emaLag)} note="to alert on" />
      <FigureTile
        name="Recommended delay"
        value={`${formatCount(data.recommendedDelayMs)} ms`}
        note="reported, not applied"
      />
    </dl>
  );
}

function LagHistory() {
  const { data } = useQuery(statisticsQuery);
  return data === undefined ? null : <LagChart samples={data.samples} />;
}
