import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { atSkip } from '../../app/search-params.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Pager } from '../../ui/pager.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { LEVEL_OPTIONS, levelOf } from './log-levels.ts';
import { LogRecordList } from './log-record-list.tsx';

const route = getRouteApi('/workspace/admin/logs');
const TAKE = 100;

/** Newest first, over all files, or over the last records in memory where no files are written. */
export function LogSearch() {
  const { query, level, skip = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const records = useQuery({
    queryKey: ['logs', query, level, skip],
    queryFn: ({ signal }) =>
      client.logs.search({ query, level: levelOf(level), skip, take: TAKE }, { signal }),
    placeholderData: (last) => last,
  });
  return (
    <>
      <SearchForm />
      <QueryView query={records} errorTitle="The log could not be searched">
        {({ items, total, source, isComplete }) => (
          <div className="flex flex-col gap-3">
            {source === 'memory' && (
              <Notice tone="info">
                No log files are written here: these are the last records in memory. Set{' '}
                <code className="font-mono">MSK_LOG_PATH</code> to keep them.
              </Notice>
            )}
            {!isComplete && (
              <Notice tone="warning">
                The search took too long: older records were not searched. Narrow it.
              </Notice>
            )}
            <Card isFlush>
              {items.length === 0 ? (
                <EmptyState icon={ScrollText} title="No record matches" />
              ) : (
                <LogRecordList label="Records of the log" records={items} />
              )}
              <Pager
                {...{ skip, total }}
                take={TAKE}
                shown={items.length}
                onSkip={(next) => void navigate({ search: atSkip(next) })}
              />
            </Card>
          </div>
        )}
      </QueryView>
    </>
  );
}

function SearchForm() {
  const { query = '', level = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [text, setText] = useState(query);
  const search = (change: { query?: string; level?: string }) =>
    void navigate({
      search: (last) => ({ ...last, ...change, tab: 'search', skip: undefined }),
    });
  return (
    <form
      role="search"
      className="mb-4 flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        search({ query: text });
      }}
    >
      <TextField
        label="Text in the record"
        className="w-full sm:w-80"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <SelectField
        label="Level"
        value={level}
        options={LEVEL_OPTIONS}
        onChange={(event) => search({ level: event.target.value })}
      />
      <Button type="submit">Search</Button>
    </form>
  );
}
