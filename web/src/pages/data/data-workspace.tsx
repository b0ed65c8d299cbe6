import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { formatCount } from '../../ui/format.ts';
import { useMediaQuery } from '../endpoints/media-query.ts';
import type { DataAddress } from './data-address.ts';
import { DataGrid, GRID_ID } from './data-grid.tsx';
import {
  countQuery,
  type DataEdge,
  type DataType,
  rowsQuery,
  rowsRequest,
} from './data-queries.ts';
import { DataToolbar } from './data-toolbar.tsx';
import { IndexNotice } from './index-notice.tsx';
import { useColumns } from './kept-columns.ts';
import { NewRecord } from './new-record.tsx';
import { NO_DRAFT, type RecordDraft } from './record-draft.ts';
import { RecordPanel } from './record-panel.tsx';
import { TypeList, TypeSelect } from './type-list.tsx';

interface DataWorkspaceProps {
  readonly type: DataType;
  readonly types: readonly DataType[];
  readonly edges: readonly DataEdge[];
  readonly address: DataAddress;
}

export function DataWorkspace({ type, types, address }: DataWorkspaceProps) {
  const navigate = useNavigate();
  const isWide = useMediaQuery('(min-width: 64rem)');
  const isVeryWide = useMediaQuery('(min-width: 96rem)');
  // What was typed stays when another record is opened, or none.
  const [drafts, setDrafts] = useState<Readonly<Record<string, RecordDraft>>>({});
  const go = (search: DataAddress, name = type.type) =>
    void navigate({ to: '/data/{-$type}', params: { type: name }, search, resetScroll: false });
  const { node, new: isNew, ...table } = address;
  const isOpen = node !== undefined || (isNew === true && type.mayWrite);
  const close = () => {
    go(table);
    requestAnimationFrame(() => document.getElementById(GRID_ID)?.focus({ preventScroll: true }));
  };
  const draftOf = (name: string) => ({
    draft: drafts[name] ?? NO_DRAFT,
    onDraft: (draft: RecordDraft) => setDrafts((before) => ({ ...before, [name]: draft })),
  });
  const choose = <TypeSelect types={types} chosen={type.type} onChoose={(name) => go({}, name)} />;
  return (
    <div className="flex items-start gap-4 max-lg:flex-col max-lg:items-stretch">
      {isVeryWide || (isWide && !isOpen) ? (
        <div className="w-52 shrink-0">
          <TypeList types={types} chosen={type.type} />
        </div>
      ) : (
        !isOpen && choose
      )}
      {(isWide || !isOpen) && <TypeTable type={type} address={address} onAddress={go} />}
      {node !== undefined ? (
        <RecordPanel key={node} uid={node} types={types} {...draftOf(node)} onClose={close} />
      ) : (
        isOpen && (
          <NewRecord
            type={type}
            {...draftOf('new')}
            onClose={close}
            onCreated={(uid) => go({ ...table, node: uid })}
          />
        )
      )}
    </div>
  );
}

interface TypeTableProps {
  readonly type: DataType;
  readonly address: DataAddress;
  readonly onAddress: (address: DataAddress) => void;
}

function TypeTable({ type, address, onAddress }: TypeTableProps) {
  const request = rowsRequest(type, address);
  const { all, columns, choose } = useColumns(type);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const first = useQuery(rowsQuery(request, columns));
  const counted = useQuery({ ...countQuery(request), enabled: first.isSuccess });
  const toggle = (uid: string) =>
    setSelected((before) => before.symmetricDifference(new Set([uid])));
  return (
    <section aria-label={type.type} className="flex min-w-0 flex-1 flex-col gap-3">
      <DataToolbar
        {...{ all, columns, address, onAddress }}
        onChoose={choose}
        count={countText(counted.data)}
      >
        {type.mayWrite && (
          <Button
            kind="primary"
            icon={Plus}
            onClick={() => onAddress({ ...address, node: undefined, new: true })}
          >
            New {type.type}
          </Button>
        )}
      </DataToolbar>
      <IndexNotice plan={counted.data?.plan} />
      {first.isError && first.data === undefined ? (
        <ErrorPanel
          title="The rows could not be read"
          error={first.error}
          onRetry={first.refetch}
        />
      ) : (
        <DataGrid
          {...{ type, address, request, columns, onAddress, selected }}
          onSelect={toggle}
          onOpen={(node) => onAddress({ ...address, new: undefined, node })}
        />
      )}
    </section>
  );
}

function countText(page: { readonly total?: number; readonly isTotalExact?: boolean } | undefined) {
  if (page?.total === undefined) return '';
  const { total, isTotalExact } = page;
  const more = isTotalExact === false ? 'More than ' : '';
  return `${more}${formatCount(total)} ${total === 1 ? 'node' : 'nodes'}`;
}
