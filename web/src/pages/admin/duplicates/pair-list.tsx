import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import type { Duplicate, DuplicateEvidence } from '@trellis/contract/shapes/duplicate.ts';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { toastError } from '../../../ui/toast.ts';
import { DUPLICATES_KEY, PAIRS_TAKE, pairsQuery } from './duplicate-queries.ts';

interface PairListProps {
  readonly state: Duplicate['state'];
  readonly type: string | undefined;
  readonly onOpen: (pair: Duplicate) => void;
}

/** Pairs of nodes, the surest first. */
export function PairList({ state, type, onOpen }: PairListProps) {
  const [skip, setSkip] = useState(0);
  const query = useQuery(pairsQuery(state, type, skip));
  return (
    <QueryView query={query} errorTitle="The pairs could not be read">
      {({ items, total }) => (
        <Card isFlush>
          {total === 0 ? (
            <EmptyState icon={Copy} title={state === 'open' ? 'Nothing to decide' : 'None yet'}>
              {state === 'open'
                ? 'Choose a type and find its duplicates.'
                : 'Pairs that somebody has dismissed stand here.'}
            </EmptyState>
          ) : (
            <DataTable
              label="Pairs"
              rows={items}
              keyOf={({ id }) => id}
              columns={[...COLUMNS, actionsColumn(onOpen)]}
            />
          )}
          <Pager {...{ skip, total }} take={PAIRS_TAKE} shown={items.length} onSkip={setSkip} />
        </Card>
      )}
    </QueryView>
  );
}

const COLUMNS: readonly Column<Duplicate>[] = [
  {
    title: 'Nodes',
    cell: ({ nodes, type }) => (
      <div className="min-w-40">
        {nodes.map(({ uid, name }) => (
          <p key={uid}>
            <bdi className="font-medium wrap-anywhere">{name}</bdi>
          </p>
        ))}
        <p className="text-[13px] text-muted">{type}</p>
      </div>
    ),
  },
  { title: 'Score', isNumber: true, cell: ({ score }) => `${Math.round(score * 100)} %` },
  {
    title: 'Why',
    isMinor: true,
    cell: ({ why }) => <span className="text-[13px]">{why.map(reason).join(', ')}</span>,
  },
];

export function reason({ kind, field, similarity }: DuplicateEvidence): string {
  switch (kind) {
    case 'name':
      return similarity === 1 ? 'same name' : 'similar names';
    case 'field':
      return `same ${field}`;
    case 'text':
      return `similar ${field}`;
    case 'neighbors':
      return 'connected to the same';
    case 'vectors':
      return 'near in meaning';
  }
}

function actionsColumn(onOpen: (pair: Duplicate) => void): Column<Duplicate> {
  return {
    title: 'Actions',
    isTitleHidden: true,
    cell: (pair) => <Actions pair={pair} onOpen={onOpen} />,
  };
}

function Actions({
  pair,
  onOpen,
}: {
  readonly pair: Duplicate;
  readonly onOpen: (pair: Duplicate) => void;
}) {
  const { isAllowed } = useChangePermission();
  const queries = useQueryClient();
  const isOpen = pair.state === 'open';
  const decide = useMutation({
    mutationFn: () =>
      isOpen ? client.duplicates.dismiss(pair.id) : client.duplicates.reopen(pair.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: DUPLICATES_KEY }),
    onError: (error) => toastError('The pair was not changed', error),
  });
  const named = pair.nodes.map(({ name }) => name).join(' and ');
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button size="small" onClick={() => onOpen(pair)} aria-label={`Compare ${named}`}>
        Compare
      </Button>
      <Button
        size="small"
        kind="quiet"
        disabled={!isAllowed}
        isBusy={decide.isPending}
        onClick={() => decide.mutate()}
        aria-label={isOpen ? `${named} are two things` : `Decide on ${named} again`}
      >
        {isOpen ? 'Two things' : 'Decide again'}
      </Button>
    </div>
  );
}
