import { useMutation, useQuery } from '@tanstack/react-query';
import { HEALTH_ADVICE } from '@trellis/contract/health-advice.ts';
import type { MemberOverview } from '@trellis/contract/shapes/member.ts';
import { ArrowRightLeft, Server } from 'lucide-react';
import { useState } from 'react';
import { tellsOfView, useLiveQueries } from '../../app/live-queries.ts';
import { client } from '../../api/client.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { FigureTile } from './figure-tile.tsx';
import { followerColumns } from './follower-columns.tsx';
import { StaleNotice } from './stale-notice.tsx';
import { healthQuery } from './statistics.ts';

const MEMBERS_KEY = ['members'];
const tells = tellsOfView('members');

export function MembersPage() {
  const health = useQuery(healthQuery);
  // A server with its log in its folder has no such part, and refuses the list.
  const isOff = health.data !== undefined && !health.data.parts.some(({ name }) => name === 'log');
  useLiveQueries(MEMBERS_KEY, tells);
  const overview = useQuery({
    queryKey: MEMBERS_KEY,
    queryFn: ({ signal }) => client.members.list({ signal }),
    enabled: health.isError || (health.data !== undefined && !isOff),
  });
  return (
    <>
      <PageHeader
        title="Members"
        description="Servers that share the log of this workspace: one is the primary, and another takes over when it is lost."
        actions={overview.data !== undefined && <StepDown overview={overview.data} />}
      />
      {isOff ? (
        <Card>
          <EmptyState icon={Server} title="This workspace has one server">
            Its log is in its own folder. To go on when a machine is lost, share the log in
            PostgreSQL: set <code className="font-mono">MSK_LOG</code> on several servers (see{' '}
            <a href="docs/cluster.html">Several machines</a>).
          </EmptyState>
        </Card>
      ) : (
        <div className="flex flex-col gap-5">
          <StaleNotice queries={[overview]} />
          <QueryView query={overview} errorTitle="The members could not be read">
            {(data) => <Overview overview={data} />}
          </QueryView>
        </div>
      )}
    </>
  );
}

function Overview({ overview }: { readonly overview: MemberOverview }) {
  const { term, primary, members, log, takeovers } = overview;
  return (
    <>
      {primary === null && (
        <Notice tone="warning">
          There is no primary at the moment: another member takes over. Reads go on.
        </Notice>
      )}
      {!log.synchronous && (
        <Notice tone="warning">
          {HEALTH_ADVICE.no_standby.meaning} {HEALTH_ADVICE.no_standby.remedy}
        </Notice>
      )}
      <dl className="grid grid-cols-2 gap-3 md:grid-cols-4">
        <FigureTile name="Primary" value={primary ?? 'None'} note={`term ${formatCount(term)}`} />
        <FigureTile name="Members" value={formatCount(members.length)} />
        <FigureTile
          name="Newest sequence"
          value={formatCount(log.lastSequence)}
          note={`the log begins at ${formatCount(log.firstSequence)}`}
        />
        <FigureTile name="Log in PostgreSQL" value={formatBytes(log.bytes)} />
      </dl>
      <Card title="Members" isFlush>
        <MemberTable members={members} />
      </Card>
      <Card
        title="Takeovers"
        description="When members became the primary, the newest first."
        isFlush
      >
        <DataTable
          label="Takeovers"
          rows={takeovers}
          keyOf={(takeover) => String(takeover.term)}
          columns={[
            { title: 'Member', cell: ({ member }) => member },
            { title: 'When', cell: ({ at }) => <Time iso={at} /> },
            { title: 'Term', isNumber: true, cell: (takeover) => formatCount(takeover.term) },
          ]}
        />
      </Card>
    </>
  );
}

function MemberTable({ members }: Pick<MemberOverview, 'members'>) {
  return (
    <DataTable
      label="Members"
      rows={members}
      keyOf={({ name }) => name}
      columns={[
        {
          title: 'Name',
          cell: ({ name, address }) => (
            <>
              {name}
              <a href={address} className="block wrap-anywhere md:hidden">
                {address}
              </a>
            </>
          ),
        },
        {
          title: 'Role',
          cell: ({ role }) => (
            <Badge tone={role === 'primary' ? 'good' : 'neutral'}>
              {role === 'primary' ? 'Primary' : 'Follower'}
            </Badge>
          ),
        },
        { title: 'Address', isMinor: true, cell: ({ address }) => <a href={address}>{address}</a> },
        ...followerColumns,
        { title: 'Last seen', cell: ({ lastSeenAt }) => <Time iso={lastSeenAt} /> },
        { title: 'Version', isMinor: true, cell: ({ version }) => version },
      ]}
    />
  );
}

function StepDown({ overview }: { readonly overview: MemberOverview }) {
  const permission = useChangePermission();
  const [isAsking, setAsking] = useState(false);
  const { primary, members } = overview;
  const stepDown = useMutation({
    mutationFn: () => client.members.stepDown(),
    onSuccess: () => toastDone('The primary steps down', primary ?? undefined),
    onError: (error) => toastError('The primary stays', error),
    onSettled: () => setAsking(false),
  });
  const isAlone = primary === null || members.length < 2;
  return (
    <>
      <Button
        icon={ArrowRightLeft}
        disabled={!permission.isAllowed || isAlone}
        title={permission.reason ?? (isAlone ? 'There is no other member.' : undefined)}
        onClick={() => setAsking(true)}
      >
        Step down
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Let another member lead instead of “${primary ?? ''}”?`}
        action="Step down"
        isBusy={stepDown.isPending}
        onConfirm={() => stepDown.mutate()}
      >
        Changes wait for about a second, until another member is the primary. Nothing is lost.
      </ConfirmDialog>
    </>
  );
}
