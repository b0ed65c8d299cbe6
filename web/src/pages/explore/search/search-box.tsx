import { Autocomplete } from '@base-ui/react/autocomplete';
import type { Suggestion } from '@trellis/client/system-search.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { formatCount } from '../../../ui/format.ts';
import { suggestionsQuery } from './search-queries.ts';

interface SearchBoxProps {
  /** What stands in the address. */
  readonly query: string;
  readonly types: readonly string[] | undefined;
  readonly onSearch: (query: string) => void;
}

/** The words that are looked for; their last one is completed while it is typed. */
export function SearchBox({ query, types, onSearch }: SearchBoxProps) {
  const [text, setText] = useState(query);
  // The address may change by itself, such as by going back.
  useEffect(() => setText(query), [query]);
  const suggestions = useSuggestions(text, query, types);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Autocomplete.Root
      items={suggestions}
      // While it is open, the rest of the page is not read out: not for an empty list.
      open={isOpen && suggestions.length > 0}
      onOpenChange={setIsOpen}
      mode="none"
      value={text}
      onValueChange={(next, { reason }) => {
        setText(next);
        if (reason === 'item-press') onSearch(next);
      }}
      itemToStringValue={(item: Suggestion) => item.query}
    >
      <form
        role="search"
        className="flex gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(text.trim());
        }}
      >
        <div className="relative min-w-0 flex-1">
          <Search
            className="pointer-events-none absolute top-3.5 left-3.5 size-4 text-muted"
            aria-hidden
          />
          <Autocomplete.Input
            aria-label="Search for"
            placeholder="Words, “an exact phrase”, begin*, -without"
            dir="auto"
            enterKeyHint="search"
            spellCheck={false}
            className="h-11 w-full rounded-control border border-line-strong bg-surface pr-3 pl-10 text-base"
          />
        </div>
        <Button kind="primary" type="submit" className="h-11">
          <Search className="size-4 sm:hidden" aria-hidden />
          <span className="max-sm:sr-only">Search</span>
        </Button>
      </form>
      <SuggestionList />
    </Autocomplete.Root>
  );
}

function useSuggestions(
  text: string,
  query: string,
  types: readonly string[] | undefined,
): readonly Suggestion[] {
  const typed = useDeferredValue(text);
  // What is being looked at needs no completion.
  const isTyping = (one: string): boolean => one.trim() !== '' && one !== query;
  const { data } = useQuery({
    ...suggestionsQuery(typed, types),
    enabled: isTyping(typed),
    placeholderData: keepPreviousData,
  });
  return isTyping(text) ? (data ?? []) : [];
}

function SuggestionList() {
  return (
    <Autocomplete.Portal>
      <Autocomplete.Positioner sideOffset={4} align="start" className="z-50 outline-none">
        <Autocomplete.Popup className="max-h-[min(var(--available-height),20rem)] w-(--anchor-width) overflow-y-auto rounded-card border bg-raised p-1 shadow-raised outline-none">
          <Autocomplete.List aria-label="Suggestions">
            {(item: Suggestion) => (
              <Autocomplete.Item
                key={item.query}
                value={item}
                className="option flex items-baseline justify-between gap-3 px-3 py-1.5"
              >
                <bdi className="min-w-0 truncate">{item.query}</bdi>
                <span className="shrink-0 text-[13px] text-muted tabular-nums">
                  {formatCount(item.count)} <span className="sr-only">nodes</span>
                </span>
              </Autocomplete.Item>
            )}
          </Autocomplete.List>
        </Autocomplete.Popup>
      </Autocomplete.Positioner>
    </Autocomplete.Portal>
  );
}
