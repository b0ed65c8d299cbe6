import type { EdgeObject, Neighbor } from '@trellis/client/system-endpoints.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { labelOf } from '../../../api/node-label.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatCount } from '../../../ui/format.ts';
import { ListSearch } from '../../../ui/list-search.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { FieldValue } from './field-value.tsx';
import {
  type NeighborGroup,
  type NeighborList,
  neighborListQuery,
  NEIGHBORS_READ_MAX,
  NEIGHBORS_TAKE,
} from './node-queries.ts';

interface NeighborTableProps {
  readonly uid: string;
  readonly group: NeighborGroup & { readonly count: number };
  readonly filter: string;
  readonly skip: number;
  readonly onChange: (page: { readonly filter: string; readonly skip: number }) => void;
}

/** The neighbors over one type of edge, page by page. */
export function NeighborTable({ uid, group, filter, skip, onChange }: NeighborTableProps) {
  const list = useQuery(neighborListQuery(uid, group, { filter, skip }));
  const label = `${group.edge}, ${group.direction === 'out' ? 'outgoing' : 'incoming'}`;
  return (
    <>
      {(group.count > NEIGHBORS_TAKE || filter !== '') && (
        <ListSearch
          label={`Find in ${group.edge}`}
          query={filter}
          onSearch={(text) => onChange({ filter: text, skip: 0 })}
          className="px-4 pt-3"
        />
      )}
      <QueryView query={list} errorTitle="The neighbors could not be read">
        {(page) => (
          <>
            {page.isPart && (
              <div className="px-4 pt-3">
                <Notice tone="info">
                  Looked at the first {formatCount(NEIGHBORS_READ_MAX)} of{' '}
                  {formatCount(group.count)}.
                </Notice>
              </div>
            )}
            <Rows label={label} page={page} />
            <Pager
              skip={skip}
              take={NEIGHBORS_TAKE}
              shown={page.items.length}
              total={page.total}
              onSkip={(to) => onChange({ filter, skip: to })}
            />
          </>
        )}
      </QueryView>
    </>
  );
}

function Rows({ label, page: { items } }: { readonly label: string; readonly page: NeighborList }) {
  if (items.length === 0) return <EmptyState icon={SearchX} title="No neighbor matches" />;
  return (
    <DataTable
      label={label}
      rows={items}
      keyOf={({ node, edge }) => `${node.UID} ${edge.timestamp}`}
      columns={columnsOf(items)}
    />
  );
}

function columnsOf(items: readonly Neighbor[]): readonly Column<Neighbor>[] {
  const fields = [...new Set(items.flatMap(({ edge }) => edgeFields(edge)))];
  return [
    {
      title: 'Node',
      cell: ({ node }) => (
        <Link
          to="/node/$uid"
          params={{ uid: node.UID }}
          className="inline-block min-w-28 text-accent wrap-anywhere hover:underline"
        >
          <bdi>{labelOf(node)}</bdi>
        </Link>
      ),
    },
    { title: 'Type', cell: ({ node }) => node.Type, isMinor: true },
    ...fields.map((field) => ({
      title: field,
      cell: ({ edge }: Neighbor) => (
        <FieldValue name={field} value={edge[field]} type={undefined} />
      ),
    })),
    { title: 'Linked', cell: ({ edge }) => <Time iso={edge.timestamp} />, isMinor: true },
  ];
}

const EDGE_HEAD = new Set(['type', 'from', 'to', 'timestamp']);

function edgeFields(edge: EdgeObject): string[] {
  return Object.keys(edge).filter((name) => !EDGE_HEAD.has(name));
}
