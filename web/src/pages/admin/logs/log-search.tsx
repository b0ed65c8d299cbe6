import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { LogPage } from '@trellis/contract/shapes/log.ts';
import { ChevronLeft, ChevronRight, ChevronsLeft, ScrollText } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { filterOf, isOwnRange, type LogAddress, rangeOf, spanOf } from './log-address.ts';
import { useLogColumns } from './log-columns.tsx';
import { LogFilterBar } from './log-filter-bar.tsx';
import { LogHistogram } from './log-histogram.tsx';
import { levelOf } from './log-levels.ts';
import { LogTable } from './log-table.tsx';
import { useLiveRecords } from './use-live-records.ts';

const route = getRouteApi('/workspace/admin/logs');
const TAKE = 100;

/**
 * Records of the log, newest first, over all files, or over the last records in memory where no
 * files are written.
 */
export function LogSearch() {
  const { tab: _tab, ...address } = route.useSearch();
  const navigate = route.useNavigate();
  const [trail, setTrail] = useState<readonly (string | undefined)[]>([]);
  const change = (next: LogAddress) => {
    setTrail([]);
    void navigate({ search: (last) => ({ ...last, cursor: undefined, ...next }) });
  };
  const { cursor } = address;
  const goTo = (next: string | undefined, newTrail: readonly (string | undefined)[]) => {
    setTrail(newTrail);
    void navigate({ search: (last) => ({ ...last, cursor: next, live: undefined }) });
  };
  const { records, counts, refresh, filter } = useLog(address);
  const isLive = address.live === 'true' && cursor === undefined;
  const { records: added, ...live } = useLiveRecords(filter, records.data?.items, isLive);
  const { columns, menu } = useLogColumns();
  return (
    <>
      <LogFilterBar
        {...{ address }}
        onChange={change}
        onRefresh={refresh}
        isBusy={records.isFetching}
        columns={menu}
        live={{ ...live, isOn: isLive }}
      />
      {live.error !== undefined && (
        <ErrorPanel title="The log cannot be followed" error={live.error} onRetry={live.restart} />
      )}
      <QueryView query={records} errorTitle="The log could not be searched">
        {(page) => (
          <div className="flex flex-col gap-3">
            <SourceNotice page={page} />
            <Card isFlush>
              <QueryView query={counts} errorTitle="The records could not be counted">
                {(found) => (
                  <LogHistogram
                    counts={found}
                    level={levelOf(address.level)}
                    onSpan={(from, to) => change({ range: undefined, from, to })}
                    onLevel={(level) => change({ level })}
                  />
                )}
              </QueryView>
            </Card>
            <Card isFlush>
              {page.items.length + added.length === 0 ? (
                <NoRecords {...{ address, isLive }} onAll={() => change({ ...EVERY_TIME })} />
              ) : (
                <LogTable records={[...added, ...page.items]} columns={columns} onNarrow={change} />
              )}
              <LogPager
                cursor={cursor}
                next={page.nextCursor}
                onNewest={() => goTo(undefined, [])}
                onNewer={() => goTo(trail.at(-1), trail.slice(0, -1))}
                onOlder={(next) => goTo(next, [...trail, cursor])}
              />
            </Card>
          </div>
        )}
      </QueryView>
    </>
  );
}

const EVERY_TIME: LogAddress = { range: 'all', from: undefined, to: undefined };

/** What an address asks for, as of the moment when it was opened, or read again. */
function useLog(address: LogAddress) {
  const { cursor, live: _live, ...wanted } = address;
  const key = JSON.stringify(wanted);
  const [asked, setAsked] = useState(() => ({ key, nowMs: Date.now() }));
  const refresh = () => setAsked({ key, nowMs: Date.now() });
  if (asked.key !== key) refresh();
  const filter = filterOf(wanted);
  const { from, to, spans } = spanOf(wanted, asked.nowMs);
  const records = useQuery({
    queryKey: ['logs', 'records', filter, from, to, asked.nowMs, cursor],
    queryFn: ({ signal }) =>
      client.logs.search({ ...filter, from, to, cursor, take: TAKE }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
  const counts = useQuery({
    queryKey: ['logs', 'counts', filter, from, to, asked.nowMs],
    queryFn: ({ signal }) => client.logs.count({ ...filter, from, to, spans }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
  return { records, counts, filter, refresh };
}

function SourceNotice({ page: { source, isComplete } }: { readonly page: LogPage }) {
  return (
    <>
      {source === 'memory' && (
        <Notice tone="info">
          No log files are written here: these are the last records in memory. Set{' '}
          <code className="font-mono">MSK_LOG_PATH</code> to keep them.
        </Notice>
      )}
      {!isComplete && (
        <Notice tone="warning">
          The search stopped after a few seconds. “Older” goes on from there; a shorter time needs
          less.
        </Notice>
      )}
    </>
  );
}

interface NoRecordsProps {
  readonly address: LogAddress;
  readonly isLive: boolean;
  readonly onAll: () => void;
}

function NoRecords({ address, isLive, onAll }: NoRecordsProps) {
  const isWhole = !isOwnRange(address) && rangeOf(address).ms === undefined;
  return (
    <EmptyState
      icon={ScrollText}
      title="No record matches"
      action={!isWhole && <Button onClick={onAll}>Search all that is kept</Button>}
    >
      {isLive ? 'New records appear here as they are logged.' : 'Change the filter or the time.'}
    </EmptyState>
  );
}

interface LogPagerProps {
  readonly cursor: string | undefined;
  readonly next: string | null;
  readonly onNewest: () => void;
  readonly onNewer: () => void;
  readonly onOlder: (cursor: string) => void;
}

function LogPager({ cursor, next, onNewest, onNewer, onOlder }: LogPagerProps) {
  if (cursor === undefined && next === null) return null;
  return (
    <nav aria-label="Pagination" className="flex justify-end gap-2 border-t px-4 py-2">
      <Button size="small" icon={ChevronsLeft} disabled={cursor === undefined} onClick={onNewest}>
        Newest
      </Button>
      <Button size="small" icon={ChevronLeft} disabled={cursor === undefined} onClick={onNewer}>
        Newer
      </Button>
      <Button
        size="small"
        icon={ChevronRight}
        disabled={next === null}
        onClick={() => next !== null && onOlder(next)}
      >
        Older
      </Button>
    </nav>
  );
}
