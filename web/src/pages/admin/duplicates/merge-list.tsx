import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Merge as MergeIcon } from 'lucide-react';
import { useState } from 'react';
import type { Merge } from '@trellis/contract/shapes/duplicate.ts';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { mergesQuery, PAIRS_TAKE } from './duplicate-queries.ts';

/** Merges that can be taken back. */
export function MergeList() {
  const [skip, setSkip] = useState(0);
  const [split, setSplit] = useState<Merge>();
  const { isAllowed } = useChangePermission();
  const query = useQuery(mergesQuery(skip));
  return (
    <QueryView query={query} errorTitle="The merges could not be read">
      {({ items, total }) => (
        <Card isFlush>
          {total === 0 ? (
            <EmptyState icon={MergeIcon} title="Nothing is merged">
              Merges stand here until they are split.
            </EmptyState>
          ) : (
            <DataTable
              label="Merges"
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Node',
                  cell: ({ into, type }) => (
                    <div className="min-w-32">
                      <bdi className="font-medium wrap-anywhere">{into.name}</bdi>
                      <p className="text-[13px] text-muted">{type}</p>
                    </div>
                  ),
                },
                {
                  title: 'UID that leads to it',
                  isMinor: true,
                  cell: ({ node }) => <span className="font-mono text-[13px]">{node}</span>,
                },
                { title: 'Merged', cell: ({ at }) => <Time iso={at} /> },
                {
                  title: 'Actions',
                  isTitleHidden: true,
                  cell: (merge) => (
                    <Button
                      size="small"
                      disabled={!isAllowed || !merge.isLast}
                      title={merge.isLast ? undefined : 'Split the later merge of this node first'}
                      onClick={() => setSplit(merge)}
                      aria-label={`Split ${merge.into.name}`}
                    >
                      Split
                    </Button>
                  ),
                },
              ]}
            />
          )}
          <Pager {...{ skip, total }} take={PAIRS_TAKE} shown={items.length} onSkip={setSkip} />
          {split !== undefined && <SplitDialog merge={split} onClose={() => setSplit(undefined)} />}
        </Card>
      )}
    </QueryView>
  );
}

function SplitDialog({ merge, onClose }: { readonly merge: Merge; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const split = useMutation({
    mutationFn: () => client.duplicates.split(merge.id),
    onSuccess: async () => {
      await queries.invalidateQueries();
      toastDone('They are two nodes again', merge.into.name);
      onClose();
    },
    onError: (error) => toastError('The node was not split', error),
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Split “${merge.into.name}”?`}
      action="Split"
      isBusy={split.isPending}
      onClose={onClose}
      onConfirm={() => split.mutate()}
    >
      Both nodes are there again as they were. What was changed since stays with “{merge.into.name}
      ”.
    </ConfirmDialog>
  );
}
