import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { useState } from 'react';
import { useChangePermission } from '../../app/permissions.ts';
import { formatCount } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { fieldNamesOf } from '../content/indexes/field-index.ts';
import { IndexBadge } from '../content/indexes/index-badge.tsx';
import { useWatchedSchema } from '../content/indexes/index-queries.ts';
import { AddIndexButton } from '../content/indexes/add-index-button.tsx';
import { endpointMetricsQuery } from './endpoint-queries.ts';
import { type FieldScans, type IndexedScans, withIndexes } from './field-scans.ts';

/** Those that cost most come first; the others on request. */
const SHOWN = 3;

/** Queries of an endpoint that read many nodes for want of an index, which can be added here. */
export function EndpointScans({ name }: { readonly name: string }) {
  const { data } = useQuery(endpointMetricsQuery);
  const scans = data?.items.find((item) => item.name === name)?.scans ?? [];
  return scans.length === 0 ? null : <ScanNotice scans={scans} />;
}

function ScanNotice({ scans }: { readonly scans: readonly FieldScans[] }) {
  const { data: schema } = useWatchedSchema();
  return schema === undefined ? null : <ScanList {...{ scans, schema }} />;
}

interface ScanListProps {
  readonly scans: readonly FieldScans[];
  readonly schema: SchemaDocument;
}

function ScanList({ scans, schema }: ScanListProps) {
  // What has an index by now is told of as long as it is built, or to whoever has just added it.
  const [added, setAdded] = useState<readonly string[]>([]);
  const [take, setTake] = useState(SHOWN);
  const told = withIndexes(schema, scans).filter(
    ({ scan, index }) => index?.state !== 'ready' || added.includes(nameOf(scan)),
  );
  if (told.length === 0) return null;
  return (
    <div className="mb-4">
      <Notice tone={told.some(({ index }) => index === undefined) ? 'warning' : 'info'}>
        <ul aria-label="Queries without an index" className="flex flex-col gap-2">
          {told.slice(0, take).map((row) => (
            <ScanRow
              key={nameOf(row.scan)}
              row={row}
              onAdded={() => setAdded((before) => [...before, nameOf(row.scan)])}
            />
          ))}
        </ul>
        <ShowMore take={take} total={told.length} step={told.length} onTake={setTake} />
      </Notice>
    </div>
  );
}

interface ScanRowProps {
  readonly row: IndexedScans;
  readonly onAdded: () => void;
}

function ScanRow({ row: { scan, index }, onAdded }: ScanRowProps) {
  const { type, field, rowsRead, calls } = scan;
  const permission = useChangePermission();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="min-w-0 wrap-anywhere">
        {calls === 1 ? 'One query' : `${formatCount(calls)} queries`} read {formatCount(rowsRead)}{' '}
        nodes of {type} to compare {field}.{' '}
        {index === undefined
          ? `An index of ${nameOf(scan)} would spare that.`
          : `There is an index of ${type} over ${fieldNamesOf(index).join(', ')} now:`}
      </span>
      {index === undefined ? (
        <AddIndexButton
          type={type}
          field={field}
          aria-label={`Add the index of ${nameOf(scan)}`}
          disabled={!permission.isAllowed}
          title={permission.reason}
          onAdded={onAdded}
        />
      ) : (
        <>
          <IndexBadge index={index} />
          <Link to="/admin/schema" search={{ tab: 'indexes' }} className="font-medium underline">
            All indexes
          </Link>
        </>
      )}
    </li>
  );
}

function nameOf({ type, field }: FieldScans): string {
  return `${type}.${field}`;
}
