import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { PageHeader } from '../../ui/page-header.tsx';
import { RecordBeside } from '../data/record-beside.tsx';
import { isAsking, type SearchAddress, type SearchPageAddress } from './search/search-address.ts';
import { SearchBox } from './search/search-box.tsx';
import { SearchResults } from './search/search-results.tsx';
import { SearchStart } from './search/search-start.tsx';
import { useNotedVisit } from '../tour/visited-pages.ts';

const route = getRouteApi('/workspace/');

/** The home of the workspace: one box, and what it finds. */
export function SearchPage() {
  const { record, ...address }: SearchPageAddress = route.useSearch();
  const navigate = useNavigate();
  const go = (search: SearchAddress) =>
    void navigate({ to: '/', search: { ...search, ...(record !== undefined && { record }) } });
  const close = () => navigate({ to: '/', search: address, resetScroll: false, replace: true });
  const { q = '' } = address;
  useNotedVisit('search', isAsking(address));
  useEffect(() => {
    if (q !== '') document.title = `${q} · Search · Trellis`;
  }, [q]);
  const search = (query: string) => {
    const { q: _q, skip: _skip, ...rest } = address;
    go(query === '' ? rest : { ...rest, q: query });
  };
  return (
    <div className="max-w-7xl">
      <RecordBeside page="/" title="Search" uid={record} onClose={close}>
        <PageHeader title="Search" />
        <div className="max-w-3xl">
          <SearchBox query={q} types={address.type} onSearch={search} />
        </div>
        <div className="mt-5">
          {isAsking(address) ? (
            <SearchResults address={address} onChange={go} isNarrow={record !== undefined} />
          ) : (
            <SearchStart />
          )}
        </div>
      </RecordBeside>
    </div>
  );
}
