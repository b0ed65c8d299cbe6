import { ENDPOINT_LOG_LEVELS, type EndpointLogLevel } from '@trellis/contract/log-levels.ts';
import type { EndpointLogLine } from '@trellis/contract/shapes/endpoint-log.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { atSkip } from '../../app/search-params.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField } from '../../ui/field.tsx';
import { ListSearch } from '../../ui/list-search.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Pager } from '../../ui/pager.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Switch } from '../../ui/switch.tsx';
import { LogLineList } from './log-line-list.tsx';

const route = getRouteApi('/workspace/endpoints/edit/$');
const TAKE = 100;
const LIVE_MAX = 500;

const LEVEL_OPTIONS = [
  { value: '', label: 'Every level' },
  ...ENDPOINT_LOG_LEVELS.map((value) => ({
    value,
    label: value === 'error' ? value : `${value} and above`,
  })),
];

interface LogFilter {
  readonly endpoint: string;
  readonly level: EndpointLogLevel | undefined;
  readonly query: string | undefined;
}

/**
 * What the endpoint has logged on this server: the last lines, which new ones join, or what is
 * searched for.
 */
export function LogsTab({ name }: { readonly name: string }) {
  const { query = '', level = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [isLive, setIsLive] = useState(true);
  const filter: LogFilter = {
    endpoint: name,
    level: ENDPOINT_LOG_LEVELS.find((known) => known === level),
    query: query || undefined,
  };
  const narrow = (change: { query?: string; level?: string }) =>
    void navigate({
      search: (last) => ({ ...last, ...change, skip: undefined }),
      replace: true,
    });
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end gap-3">
        <ListSearch
          label="Find in the lines"
          query={query}
          className="w-full sm:w-80"
          onSearch={(text) => narrow({ query: text })}
        />
        <SelectField
          label="Level"
          isLabelHidden
          options={LEVEL_OPTIONS}
          value={level}
          onChange={(event) => narrow({ level: event.target.value })}
        />
        <div className="flex h-9 items-center">
          <Switch label="Live" isOn={isLive} onChange={setIsLive} />
        </div>
      </div>
      <LogLines key={JSON.stringify(filter)} filter={filter} isLive={isLive} />
    </div>
  );
}

interface LogLinesProps {
  readonly filter: LogFilter;
  readonly isLive: boolean;
}

function LogLines({ filter, isLive }: LogLinesProps) {
  const { skip = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const searched = useQuery({
    queryKey: ['endpoints', 'logs', filter, skip],
    queryFn: ({ signal }) => client.endpoints.listLogs({ ...filter, skip, take: TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });
  const isFollowing = isLive && skip === 0 && searched.data !== undefined;
  const { lines, dropped, error } = useLiveLines(
    filter,
    isFollowing ? (searched.data.items[0]?.sequence ?? 0) : undefined,
  );
  return (
    <QueryView query={searched} errorTitle="The log could not be read">
      {({ items, total }) => (
        <>
          {error !== undefined && <ErrorPanel title="New lines cannot be followed" error={error} />}
          {dropped > 0 && (
            <Notice tone="warning">{dropped} lines were gone before they could be shown.</Notice>
          )}
          <Card isFlush className="px-3">
            {items.length + lines.length === 0 ? (
              <EmptyState icon={ScrollText} title="No lines">
                What the endpoint says with <code className="font-mono">log.info(…)</code> stands
                here, and why runs of it failed. A restart of the server clears it.
              </EmptyState>
            ) : (
              <LogLineList label="Log lines" lines={joined(lines, items)} />
            )}
            <Pager
              {...{ skip, total }}
              take={TAKE}
              shown={items.length}
              onSkip={(next) => void navigate({ search: atSkip(next) })}
            />
          </Card>
        </>
      )}
    </QueryView>
  );
}

/** Newest first; a line that was both read and followed stands there once. */
function joined(
  live: readonly EndpointLogLine[],
  read: readonly EndpointLogLine[],
): readonly EndpointLogLine[] {
  const newest = read[0]?.sequence ?? -1;
  return [...live.filter(({ sequence }) => sequence > newest), ...read];
}

interface LiveLines {
  readonly lines: readonly EndpointLogLine[];
  readonly dropped: number;
  readonly error: unknown;
}

const NO_LINES: LiveLines = { lines: [], dropped: 0, error: undefined };

/** The lines after one, by its sequence, the newest first; undefined follows nothing. */
function useLiveLines({ endpoint, level, query }: LogFilter, after: number | undefined): LiveLines {
  const [live, setLive] = useState(NO_LINES);
  useEffect(() => {
    if (after === undefined) return undefined;
    const leaving = new AbortController();
    setLive(NO_LINES);
    const follow = async () => {
      const options = { signal: leaving.signal, after };
      for await (const event of client.endpoints.watchLogs({ endpoint, level, query }, options)) {
        setLive((last) =>
          event.kind === 'line'
            ? { ...last, lines: [event.line, ...last.lines].slice(0, LIVE_MAX) }
            : { ...last, dropped: last.dropped + event.count },
        );
      }
    };
    follow().catch((error: unknown) => {
      if (!leaving.signal.aborted) setLive((last) => ({ ...last, error }));
    });
    return () => leaving.abort();
  }, [endpoint, level, query, after]);
  return live;
}
