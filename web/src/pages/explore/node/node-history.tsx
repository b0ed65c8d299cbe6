import type { FieldChange, NodeVersion } from '@trellis/contract/shapes/node.ts';
import { useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatBytes, formatCount } from '../../../ui/format.ts';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { FieldValue } from './field-value.tsx';
import { HISTORY_TAKE, historyQuery, useFieldTypes } from './node-queries.ts';

interface NodeHistoryProps {
  readonly uid: string;
  /** The type of the node. */
  readonly type: string;
  /** What can be done with a version. */
  readonly actionOf?: (version: NodeVersion) => ReactNode;
}

/** Who changed which fields of a node, from what to what, newest first. */
export function NodeHistory({ uid, type, actionOf }: NodeHistoryProps) {
  const [skip, setSkip] = useState(0);
  const versions = useQuery(historyQuery(uid, skip));
  const types = useFieldTypes(type);
  return (
    <Card title="History">
      <QueryView query={versions} errorTitle="The history could not be read">
        {({ items, total }) =>
          isEmpty(items, total) ? (
            <EmptyState
              icon={History}
              title={total === 0 ? 'No changes are known' : 'It has not been changed'}
            />
          ) : (
            <>
              <ol aria-label="Changes of the node" className="-mt-2.5 divide-y">
                {items.map((version) => (
                  <li key={version.sequence ?? 'first'} className="min-w-0 py-2.5">
                    <Version version={version} types={types} action={actionOf?.(version)} />
                  </li>
                ))}
              </ol>
              <Pager
                {...{ skip, total }}
                take={HISTORY_TAKE}
                shown={items.length}
                onSkip={setSkip}
              />
            </>
          )
        }
      </QueryView>
    </Card>
  );
}

/** Nothing but what is among the fields already. */
function isEmpty(items: readonly NodeVersion[], total: number): boolean {
  return total === 0 || (total === 1 && items[0]?.sequence === null);
}

interface VersionProps {
  readonly version: NodeVersion;
  readonly types: Readonly<Record<string, string>>;
  readonly action: ReactNode;
}

function Version(props: VersionProps) {
  const { types, action } = props;
  const { version, actor, timestamp, changes } = props.version;
  if (timestamp === null) {
    return (
      <>
        <div className="flex flex-wrap items-center gap-2">
          <p className="font-medium">First version</p>
          {action}
        </div>
        <details className="mt-1">
          <summary className="w-fit text-[13px] text-accent">Values at that time</summary>
          <Changes changes={changes} types={types} isFirst />
        </details>
      </>
    );
  }
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <bdi className="min-w-0 font-medium wrap-anywhere">{actor?.name ?? 'Not known who'}</bdi>
        <span className="text-[13px] text-muted">
          <Time iso={timestamp} />
        </span>
        {version !== null && <Badge>version {formatCount(version)}</Badge>}
        {action}
      </p>
      {changes.length === 0 ? (
        <p className="mt-1 text-muted">No field: another name of it was added or removed.</p>
      ) : (
        <Changes changes={changes} types={types} />
      )}
    </>
  );
}

interface ChangesProps {
  readonly changes: readonly FieldChange[];
  readonly types: Readonly<Record<string, string>>;
  /** Whether there was nothing before. */
  readonly isFirst?: boolean;
}

function Changes({ changes, types, isFirst = false }: ChangesProps) {
  return (
    <dl className="mt-1.5 grid grid-cols-1 gap-x-6 gap-y-3 sm:grid-cols-[minmax(5rem,9rem)_minmax(0,1fr)]">
      {changes.map(({ field, before, after, beforeBytes, afterBytes }) => (
        <div key={field} className="contents">
          <dt className="text-muted wrap-anywhere max-sm:-mb-2">{field}</dt>
          <dd className="flex min-w-0 flex-col gap-1">
            {!isFirst && (
              <Side
                word="From"
                name={`${field} before`}
                value={before}
                bytes={beforeBytes}
                type={types[field]}
              />
            )}
            <Side
              word={isFirst ? undefined : 'To'}
              name={`${field} after`}
              value={after}
              bytes={afterBytes}
              type={types[field]}
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface SideProps {
  readonly word: string | undefined;
  /** What a folded value is called. */
  readonly name: string;
  readonly value: unknown;
  /** The size of a value that is too large to be shown. */
  readonly bytes: number | undefined;
  readonly type: string | undefined;
}

function Side({ word, name, value, bytes, type }: SideProps) {
  return (
    <div className="flex min-w-0 gap-2">
      {word !== undefined && <span className="w-9 shrink-0 text-[13px] text-muted">{word}</span>}
      <div className="min-w-0 flex-1">
        {bytes === undefined ? (
          <FieldValue name={name} value={value} type={type} />
        ) : (
          <span className="text-muted italic">{formatBytes(bytes)}, too large to be shown</span>
        )}
      </div>
    </div>
  );
}
