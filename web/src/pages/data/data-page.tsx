import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Database } from 'lucide-react';
import { useEffect } from 'react';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { type DataType, typesQuery } from './data-queries.ts';
import { keepType, keptType } from './kept-columns.ts';
import { DataWorkspace } from './data-workspace.tsx';
import { type Drafts, useDrafts } from './unsaved-records.tsx';

const route = getRouteApi('/workspace/data/{-$type}');

/** Nodes of one type after the other: in a table, and one of them as a record. */
export function DataPage() {
  const { type: name } = route.useParams();
  const types = useQuery(typesQuery);
  const drafts = useDrafts();
  return (
    <>
      <PageHeader title="Data" />
      <QueryView query={types} errorTitle="The types could not be read" rows={8}>
        {(found) => {
          const type =
            name === undefined
              ? keptType(found.types)
              : found.types.find((one) => one.type === name);
          if (type !== undefined) {
            return (
              <TypeOfPage
                key={type.type}
                {...{ type, found, drafts }}
                isNamed={name !== undefined}
              />
            );
          }
          return (
            <EmptyState
              icon={Database}
              title={
                name === undefined
                  ? 'There are no nodes that you may see'
                  : `There is no type ${name}, or none of its nodes is for you`
              }
            >
              An administrator adds types under Schema, and brings nodes with Import.
            </EmptyState>
          );
        }}
      </QueryView>
    </>
  );
}

interface TypeOfPageProps {
  readonly type: DataType;
  readonly found: {
    readonly types: readonly DataType[];
    readonly edges: Parameters<typeof DataWorkspace>[0]['edges'];
  };
  readonly drafts: Drafts;
  readonly isNamed: boolean;
}

function TypeOfPage({ type, found, drafts, isNamed }: TypeOfPageProps) {
  const navigate = useNavigate();
  const address = route.useSearch();
  useEffect(() => {
    keepType(type.type);
    // So that the address can be shared.
    if (!isNamed) {
      void navigate({
        to: '/data/{-$type}',
        params: { type: type.type },
        search: address,
        replace: true,
      });
    }
  }, [type.type, isNamed, address, navigate]);
  return <DataWorkspace {...{ type, address, drafts }} types={found.types} edges={found.edges} />;
}
