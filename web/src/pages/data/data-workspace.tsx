import { NODES_CHANGED_MAX } from '@trellis/contract/limits.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { formatCount } from '../../ui/format.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import { useMediaQuery } from '../endpoints/media-query.ts';
import { type DataAddress, sortOf } from './data-address.ts';
import { DataGrid, GRID_ID } from './data-grid.tsx';
import {
  countQuery,
  type DataEdge,
  type DataType,
  missingIndex,
  readUids,
  type RowsRequest,
  rowsQuery,
  rowsRequest,
} from './data-queries.ts';
import { DataToolbar } from './data-toolbar.tsx';
import { ExportMenu } from './export-menu.tsx';
import { IndexNeeded, IndexNotice } from './index-notice.tsx';
import { useColumns } from './kept-columns.ts';
import { NewRecord } from './new-record.tsx';
import type { RecordDraft } from './record-draft.ts';
import { RecordPanel } from './record-panel.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { TypeList, TypeSelect } from './type-list.tsx';
import { type Drafts, draftType, newDraftName, UnsavedRecords } from './unsaved-records.tsx';

interface DataWorkspaceProps {
  readonly type: DataType;
  readonly types: readonly DataType[];
  readonly edges: readonly DataEdge[];
  readonly address: DataAddress;
  readonly drafts: Drafts;
}

export function DataWorkspace({ type, types, edges, address, drafts }: DataWorkspaceProps) {
  const navigate = useNavigate();
  const isWide = useMediaQuery('(min-width: 64rem)');
  const isVeryWide = useMediaQuery('(min-width: 96rem)');
  const go = (search: DataAddress, name = type.type) =>
    void navigate({ to: '/data/{-$type}', params: { type: name }, search, resetScroll: false });
  const { node, new: isNew, ...table } = address;
  const isOpen = node !== undefined || (isNew === true && type.mayWrite);
  const newName = newDraftName(type.type);
  const close = () => {
    go(table);
    requestAnimationFrame(() => document.getElementById(GRID_ID)?.focus({ preventScroll: true }));
  };
  const draftOf = (name: string) => ({
    draft: drafts.of(name),
    onDraft: (draft: RecordDraft) => drafts.keep(name, draft),
  });
  const choose = <TypeSelect types={types} chosen={type.type} onChoose={(name) => go({}, name)} />;
  return (
    <div className="flex flex-col gap-3">
      <UnsavedRecords
        drafts={drafts}
        opened={node ?? (isOpen ? newName : undefined)}
        within="/data"
        linkTo={linkToDraft}
      />
      <div className="flex items-start gap-4 max-lg:flex-col max-lg:items-stretch">
        {isVeryWide || (isWide && !isOpen) ? (
          <div className="w-52 shrink-0">
            <TypeList types={types} chosen={type.type} />
          </div>
        ) : (
          !isOpen && choose
        )}
        {(isWide || !isOpen) && (
          <TypeTable type={type} edges={edges} address={address} onAddress={go} />
        )}
        {node !== undefined ? (
          <RecordPanel
            key={node}
            uid={node}
            types={types}
            edges={edges}
            {...draftOf(node)}
            onClose={close}
          />
        ) : (
          isOpen && (
            <NewRecord
              type={type}
              {...draftOf(newName)}
              onClose={close}
              onCreated={(uid) => go({ ...table, node: uid })}
            />
          )
        )}
      </div>
    </div>
  );
}

function linkToDraft(name: string, { base }: RecordDraft, label: ReactNode) {
  const search: DataAddress = base === undefined ? { new: true } : { node: name };
  const params = { type: draftType(name, base) };
  return (
    <Link to="/data/{-$type}" params={params} search={search} className="underline">
      {label}
    </Link>
  );
}

interface TypeTableProps {
  readonly type: DataType;
  readonly edges: readonly DataEdge[];
  readonly address: DataAddress;
  readonly onAddress: (address: DataAddress) => void;
}

function TypeTable({ type, edges, address, onAddress }: TypeTableProps) {
  const request = rowsRequest(type, address);
  const { all, columns, choose } = useColumns(type);
  const { selected, toggle, setSelected, selectAll } = useSelection(request);
  const first = useQuery(rowsQuery(request, columns));
  const counted = useQuery({ ...countQuery(request), enabled: first.isSuccess });
  const missing = first.data === undefined ? missingIndex(first.error) : undefined;
  return (
    <section
      aria-label={type.type}
      className="flex h-[max(24rem,calc(100dvh-8.75rem))] min-w-0 flex-1 flex-col gap-3 max-lg:flex-none"
    >
      <DataToolbar
        {...{ all, columns, address, onAddress }}
        onChoose={choose}
        count={countText(counted.data)}
      >
        <ExportMenu {...{ request, columns }} uids={[...selected]} />
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
      <SelectionBar
        {...{ type, edges }}
        uids={[...selected]}
        onSelected={(uids) => setSelected(new Set(uids))}
      />
      <IndexNotice plan={counted.data?.plan} />
      {missing !== undefined ? (
        <IndexNeeded
          missing={missing}
          sortedBy={sortOf(address)?.field}
          onUnsorted={() => onAddress({ ...address, sort: undefined })}
          onRetry={first.refetch}
        />
      ) : first.isError && first.data === undefined ? (
        <ErrorPanel
          title="The rows could not be read"
          error={first.error}
          onRetry={first.refetch}
        />
      ) : (
        <DataGrid
          {...{ type, address, request, columns, onAddress, selected }}
          onSelect={toggle}
          onSelectAll={selectAll}
          onOpen={(node) => onAddress({ ...address, new: undefined, node })}
        />
      )}
    </section>
  );
}

/** The rows that are selected; other rows are another selection. */
function useSelection(request: RowsRequest) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const key = JSON.stringify(request.where);
  useEffect(() => setSelected(new Set()), [key]);
  const all = useMutation({
    mutationFn: () => readUids(request, NODES_CHANGED_MAX),
    onSuccess: (uids) => {
      setSelected(new Set(uids));
      if (uids.length < NODES_CHANGED_MAX) return;
      toastDone(`The first ${formatCount(NODES_CHANGED_MAX)} rows are selected`);
    },
    onError: (error) => toastError('The rows were not selected', error),
  });
  const toggle = (uid: string) =>
    setSelected((before) => {
      const next = before.symmetricDifference(new Set([uid]));
      return next.size > NODES_CHANGED_MAX ? before : next;
    });
  // With some selected already, none are afterwards.
  const selectAll = () => (selected.size > 0 ? setSelected(new Set()) : all.mutate());
  return { selected, setSelected, toggle, selectAll };
}

function countText(page: { readonly total?: number; readonly isTotalExact?: boolean } | undefined) {
  if (page?.total === undefined) return '';
  const { total, isTotalExact } = page;
  const more = isTotalExact === false ? 'More than ' : '';
  return `${more}${formatCount(total)} ${total === 1 ? 'node' : 'nodes'}`;
}
