import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ArrowLeft, ArrowRight, Unlink } from 'lucide-react';
import { Card } from '../../../ui/card.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatCount } from '../../../ui/format.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { NeighborTable } from './neighbor-table.tsx';
import { type NeighborGroup, neighborCountsQuery } from './node-queries.ts';

const route = getRouteApi('/workspace/node/$uid');

type CountedGroup = NeighborGroup & { readonly count: number };

/** What a node is linked to, one type of edge at a time; which one stands in the address. */
export function NodeNeighbors({ uid }: { readonly uid: string }) {
  const counts = useQuery(neighborCountsQuery(uid));
  return (
    <Card title="Neighbors" isFlush>
      <QueryView query={counts} errorTitle="The neighbors could not be read">
        {(groups) =>
          groups.length === 0 ? (
            <EmptyState icon={Unlink} title="It has no neighbors">
              Or none that you may see.
            </EmptyState>
          ) : (
            <Groups uid={uid} groups={groups} />
          )
        }
      </QueryView>
    </Card>
  );
}

interface GroupsProps {
  readonly uid: string;
  readonly groups: readonly CountedGroup[];
}

function Groups({ uid, groups }: GroupsProps) {
  const { edge, direction, filter = '', skip = 0 } = route.useSearch();
  const navigate = useNavigate();
  const chosen =
    groups.find((one) => one.edge === edge && one.direction === direction) ?? groups[0];
  if (chosen === undefined) return null;
  const go = (page: { readonly filter: string; readonly skip: number }) =>
    void navigate({
      to: '/node/$uid',
      params: { uid },
      replace: true,
      search: {
        edge: chosen.edge,
        direction: chosen.direction,
        ...(page.filter !== '' && { filter: page.filter }),
        ...(page.skip > 0 && { skip: page.skip }),
      },
    });
  return (
    <>
      <nav aria-label="Types of edges" className="border-b px-4 pb-3">
        <ul className="flex flex-wrap gap-1.5">
          {groups.map((group) => (
            <li key={`${group.direction} ${group.edge}`} className="max-w-full">
              <GroupLink uid={uid} group={group} isChosen={group === chosen} />
            </li>
          ))}
        </ul>
      </nav>
      <NeighborTable
        key={`${uid} ${chosen.direction} ${chosen.edge}`}
        uid={uid}
        group={chosen}
        filter={filter}
        skip={skip}
        onChange={go}
      />
    </>
  );
}

interface GroupLinkProps {
  readonly uid: string;
  readonly group: CountedGroup;
  readonly isChosen: boolean;
}

function GroupLink({ uid, group: { edge, direction, count }, isChosen }: GroupLinkProps) {
  const Icon = direction === 'out' ? ArrowRight : ArrowLeft;
  return (
    <Link
      to="/node/$uid"
      params={{ uid }}
      search={{ edge, direction }}
      replace
      resetScroll={false}
      aria-current={isChosen ? 'true' : undefined}
      className={classNames(
        'inline-flex max-w-full items-center gap-1.5 rounded-control border px-2.5 py-1',
        isChosen ? 'border-accent bg-accent-soft text-accent-strong' : 'hover:bg-sunken',
      )}
    >
      <Icon
        className="size-3.5 shrink-0"
        aria-label={direction === 'out' ? 'Outgoing' : 'Incoming'}
      />
      <bdi className="min-w-0 truncate">{edge}</bdi>
      <span className={classNames('text-[13px] tabular-nums', !isChosen && 'text-muted')}>
        {formatCount(count)}
      </span>
    </Link>
  );
}
