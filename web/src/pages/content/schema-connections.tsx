import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { RelationStatistics } from '@trellis/contract/shapes/stats.ts';
import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { Waypoints } from 'lucide-react';
import { Suspense } from 'react';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatCount } from '../../ui/format.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { Notice } from '../../ui/notice.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { relationsOf, relationsQuery, type SchemaRelation } from './schema-relations.ts';

const SchemaPicture = lazyPart(async () => (await import('./schema-picture.tsx')).SchemaPicture);

/** How the types are connected: as a picture, and as a table that says the same. */
export function SchemaConnections({ schema }: { readonly schema: SchemaDocument }) {
  const statistics = useQuery(relationsQuery);
  return (
    <QueryView query={statistics} errorTitle="The connections could not be counted">
      {(data) => <Connections schema={schema} statistics={data} />}
    </QueryView>
  );
}

interface ConnectionsProps {
  readonly schema: SchemaDocument;
  readonly statistics: RelationStatistics;
}

function Connections({ schema, statistics }: ConnectionsProps) {
  const relations = relationsOf(schema, statistics);
  return (
    <div className="flex flex-col gap-5">
      <WhatIsCounted statistics={statistics} />
      <Card isFlush>
        <Suspense fallback={<Skeleton />}>
          <SchemaPicture schema={schema} relations={relations} />
        </Suspense>
      </Card>
      <Card title="Connections" isFlush>
        {relations.length === 0 ? (
          <EmptyState icon={Waypoints} title="No edges yet">
            Types are connected by the edges of their nodes. <ImportLink />
          </EmptyState>
        ) : (
          <RelationTable relations={relations} />
        )}
      </Card>
    </div>
  );
}

function WhatIsCounted({
  statistics: { counted, edges, countedAt },
}: Omit<ConnectionsProps, 'schema'>) {
  if (counted < edges) {
    return (
      <Notice tone="warning">
        {formatCount(counted)} of {formatCount(edges)} edges are counted, those of the oldest nodes
        first: numbers are too low, and a connection may be missing.
      </Notice>
    );
  }
  return (
    <p className="text-muted">
      All {formatCount(edges)} edges are counted, as they were <Time iso={countedAt} />. The picture
      leaves out those of the server’s own types.
    </p>
  );
}

function ImportLink() {
  return (
    <Link to="/admin/import" className="underline">
      Import some.
    </Link>
  );
}

function RelationTable({ relations }: { readonly relations: readonly SchemaRelation[] }) {
  return (
    <DataTable
      label="Connections between types"
      rows={relations}
      keyOf={({ from, edge, to }) => [from, edge, to].join(' ')}
      columns={[
        { title: 'From', cell: ({ from }) => from },
        {
          title: 'Edge',
          cell: ({ edge, inverse }) => (
            <>
              {edge}
              {inverse !== undefined && <span className="text-muted"> (back: {inverse})</span>}
            </>
          ),
        },
        { title: 'To', cell: ({ to }) => to },
        { title: 'Edges', isNumber: true, cell: ({ edges }) => formatCount(edges) },
      ]}
    />
  );
}
