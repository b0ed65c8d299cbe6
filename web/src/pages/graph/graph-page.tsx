import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { editorQuery } from './graph-start.ts';
import { GraphWorkbench } from './graph-workbench.tsx';

const route = getRouteApi('/workspace/graph');

/** A part of the graph that one draws oneself: begun with a node, and expanded step by step. */
export function GraphPage() {
  const { node, layout, kept } = route.useSearch();
  const query = useQuery(editorQuery({ node, layout, kept }));
  if (query.data !== undefined) return <GraphWorkbench editor={query.data} />;
  return (
    <>
      <PageHeader title="Graph" />
      <QueryView query={query} errorTitle="The graph could not be drawn" rows={8}>
        {() => null}
      </QueryView>
    </>
  );
}
