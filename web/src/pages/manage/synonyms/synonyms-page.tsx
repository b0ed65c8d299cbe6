import { useQuery } from '@tanstack/react-query';
import { atSkip } from '../../../app/search-params.ts';
import { getRouteApi } from '@tanstack/react-router';
import { BookType, Plus } from 'lucide-react';
import { useState } from 'react';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { CheckboxField, SelectField } from '../../../ui/field.tsx';
import { ListSearch } from '../../../ui/list-search.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { PermissionNotice } from '../permission-notice.tsx';
import { AddTermDialog } from './add-term-dialog.tsx';
import { ANY_LANGUAGE } from '@trellis/contract/languages.ts';
import { languageName, languageOptions } from './languages.ts';
import { SYNONYMS_TAKE, synonymsQuery } from './synonym-queries.ts';
import { TermPanel } from './term-panel.tsx';
import { TermTable } from './term-table.tsx';

const route = getRouteApi('/workspace/manage/synonyms');

/** What goes with terms in searches, by language (specification, section 4.5). */
export function SynonymsPage() {
  const [isAdding, setIsAdding] = useState(false);
  const permission = useChangePermission('synonyms');
  const { lang = ANY_LANGUAGE, term } = route.useSearch();
  const navigate = route.useNavigate();
  const open = (next: string | undefined) =>
    void navigate({ search: (last) => ({ ...last, term: next }) });
  return (
    <>
      <PageHeader
        title="Synonyms"
        description="Other words that a search for a term finds too."
        actions={
          <Button
            kind="primary"
            icon={Plus}
            disabled={!permission.isAllowed}
            onClick={() => setIsAdding(true)}
          >
            Add term
          </Button>
        }
      />
      <PermissionNotice permission={permission} />
      <TermFilters />
      <TermList onOpen={open} />
      {term !== undefined && (
        <TermPanel
          key={`${lang} ${term}`}
          lang={lang}
          token={term}
          isAllowed={permission.isAllowed}
          onClose={() => open(undefined)}
        />
      )}
      {isAdding && (
        <AddTermDialog
          language={languageName(lang)}
          onClose={() => setIsAdding(false)}
          onAdd={(token) => {
            setIsAdding(false);
            open(token);
          }}
        />
      )}
    </>
  );
}

function TermFilters() {
  const { lang = ANY_LANGUAGE, query = '', show } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: { lang?: string; query?: string | undefined; show?: string | undefined }) =>
    void navigate({ search: (last) => ({ ...last, ...part, skip: undefined }) });
  return (
    <div className="mb-4 flex flex-wrap items-end gap-3">
      <SelectField
        label="Language"
        className="w-52"
        value={lang}
        onChange={({ target }) => change({ lang: target.value })}
        options={languageOptions(lang)}
      />
      <ListSearch
        label="Find a term"
        className="w-60"
        query={query}
        onSearch={(text) => change({ query: text || undefined })}
      />
      <CheckboxField
        label="Show linked terms"
        className="h-9 items-center"
        checked={show === 'links'}
        onChange={({ target }) => change({ show: target.checked ? 'links' : undefined })}
      />
    </div>
  );
}

function TermList({ onOpen }: { readonly onOpen: (term: string) => void }) {
  const { lang = ANY_LANGUAGE, query, show, skip = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const terms = useQuery(synonymsQuery({ lang, query, includeSynonyms: show === 'links', skip }));
  return (
    <QueryView query={terms} errorTitle="The terms could not be read">
      {({ Results, TotalCount }) => (
        <Card isFlush>
          {Results.length === 0 && skip === 0 ? (
            <EmptyState
              icon={BookType}
              title={query ? 'No such terms' : `No terms yet: ${languageName(lang)}`}
            >
              Add a term, and the words that a search for it should find too.
            </EmptyState>
          ) : (
            <TermTable rows={Results} hasLinks={show === 'links'} onOpen={onOpen} />
          )}
          <Pager
            skip={skip}
            take={SYNONYMS_TAKE}
            shown={Results.length}
            total={TotalCount}
            onSkip={(next) => void navigate({ search: atSkip(next) })}
          />
        </Card>
      )}
    </QueryView>
  );
}
