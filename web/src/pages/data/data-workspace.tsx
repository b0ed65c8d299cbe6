import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { formatCount } from '../../ui/format.ts';
import { useMediaQuery } from '../endpoints/media-query.ts';
import type { DataAddress } from './data-address.ts';
import { DataGrid } from './data-grid.tsx';
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
  const go = (search: DataAddress, name = type.type) =>
    void navigate({ to: '/data/{-$type}', params: { type: name }, search, resetScroll: false });
  return (
    <div className="flex items-start gap-4 max-lg:flex-col max-lg:items-stretch">
      <div className="lg:w-52 lg:shrink-0">
        {isWide ? (
          <TypeList types={types} chosen={type.type} />
        ) : (
          <TypeSelect types={types} chosen={type.type} onChoose={(name) => go({}, name)} />
        )}
      </div>
      <TypeTable type={type} address={address} onAddress={go} />
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
        {null}
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
          onOpen={(node) => onAddress({ ...address, node })}
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
