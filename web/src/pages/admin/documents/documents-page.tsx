import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FileSearch, ScanText } from 'lucide-react';
import { useState } from 'react';
import { tellsOfJobs, useLiveQueries } from '../../../app/live-queries.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatCount } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { PermissionNotice } from '../../manage/permission-notice.tsx';
import { DOCUMENTS_KEY, DOCUMENTS_TAKE, extractionsQuery } from './document-queries.ts';
import { ExtractDialog } from './extract-dialog.tsx';
import { ExtractionState } from './extraction-state.tsx';
import { ExtractionView } from './extraction-view.tsx';

const tellsOfRuns = tellsOfJobs('document-extraction');

const route = getRouteApi('/workspace/admin/documents');

/** Nodes and edges that are read out of files and texts (docs/documents.md). */
export function DocumentsPage() {
  const { extraction } = route.useSearch();
  const navigate = route.useNavigate();
  const [isStarting, setStarting] = useState(false);
  const permission = useChangePermission();
  useLiveQueries(DOCUMENTS_KEY, tellsOfRuns);
  const open = (id: string | undefined): void =>
    void navigate({ search: id === undefined ? {} : { extraction: id } });
  return (
    <>
      <PageHeader
        title="Documents"
        description="Nodes and edges that a model has read out of files and texts."
        actions={
          <Button
            kind="primary"
            icon={ScanText}
            disabled={!permission.isAllowed}
            title={permission.reason}
            onClick={() => setStarting(true)}
          >
            Read documents
          </Button>
        }
      />
      <PermissionNotice permission={permission} />
      {extraction === undefined ? (
        <ExtractionList onOpen={open} />
      ) : (
        <ExtractionView key={extraction} id={extraction} onClose={() => open(undefined)} />
      )}
      {isStarting && <ExtractDialog onClose={() => setStarting(false)} onStarted={open} />}
    </>
  );
}

function ExtractionList({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const [skip, setSkip] = useState(0);
  const query = useQuery(extractionsQuery(skip));
  return (
    <QueryView query={query} errorTitle="What was read could not be listed">
      {({ items, total }) => (
        <Card isFlush>
          {total === 0 ? (
            <EmptyState icon={FileSearch} title="Nothing is read yet">
              Choose documents and the types to look for. A model proposes nodes and edges with
              their quotes; you approve what is right.
            </EmptyState>
          ) : (
            <DataTable
              label="Extractions"
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Looks for',
                  cell: ({ types, edges }) => (
                    <bdi className="font-medium wrap-anywhere">
                      {[...types, ...edges].join(', ')}
                    </bdi>
                  ),
                },
                { title: 'State', cell: (run) => <ExtractionState {...run} /> },
                {
                  title: 'Texts',
                  isNumber: true,
                  cell: ({ read, documents }) =>
                    `${formatCount(read)} of ${formatCount(documents)}`,
                },
                {
                  title: 'Proposals',
                  isNumber: true,
                  cell: ({ proposals }) => formatCount(proposals),
                },
                {
                  title: 'Started',
                  isMinor: true,
                  cell: ({ startedAt }) => <Time iso={startedAt} />,
                },
                {
                  title: 'Actions',
                  isTitleHidden: true,
                  cell: ({ id, types }) => (
                    <Button
                      size="small"
                      onClick={() => onOpen(id)}
                      aria-label={`Review ${types.join(', ')}`}
                    >
                      Review
                    </Button>
                  ),
                },
              ]}
            />
          )}
          <Pager {...{ skip, total }} take={DOCUMENTS_TAKE} shown={items.length} onSkip={setSkip} />
        </Card>
      )}
    </QueryView>
  );
}
