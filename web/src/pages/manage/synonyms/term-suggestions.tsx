import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { SynonymLists } from '@trellis/contract/shapes/search.ts';
import { Button } from '../../../ui/button.tsx';
import { formatRatio } from '../../../ui/format.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { TOLERANCE_DEFAULT, termQuery } from './synonym-queries.ts';
import { LIST_NAMES, type ListName } from './term-lists.ts';

interface TermSuggestionsProps {
  readonly lang: string;
  readonly token: string;
  /** What is in one of them is suggested no more. */
  readonly lists: SynonymLists;
  readonly isAllowed: boolean;
  readonly onAdd: (name: ListName, word: string) => void;
}

const ADD_LABELS: Readonly<Record<ListName, string>> = {
  Synonyms: 'Synonym',
  Alternates: 'Alternate',
  Blocked: 'Block',
};

/** Words of the index that are written much like the term. */
export function TermSuggestions({ lang, token, lists, isAllowed, onAdd }: TermSuggestionsProps) {
  const [tolerance, setTolerance] = useState(TOLERANCE_DEFAULT);
  const query = useQuery({
    ...termQuery(lang, token, tolerance),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-label="Suggestions" className="rounded-card border p-4">
      <ToleranceSlider tolerance={tolerance} onChange={setTolerance} />
      <QueryView query={query} rows={2} errorTitle="The suggestions could not be read">
        {({ Suggestions }) => {
          const shown = Suggestions.filter(({ term }) =>
            LIST_NAMES.every((name) => !lists[name].includes(term)),
          );
          if (shown.length === 0) {
            return <p className="mt-3 text-muted">No words are that similar.</p>;
          }
          return (
            <ul aria-label="Suggested words" className="mt-3 divide-y">
              {shown.map(({ term, similarity }) => (
                <li key={term} className="flex flex-wrap items-center gap-2 py-1.5">
                  <bdi className="min-w-0 flex-1 break-words">{term}</bdi>
                  <span className="text-[13px] text-muted tabular-nums">
                    {formatRatio(similarity)}
                  </span>
                  {LIST_NAMES.map((name) => (
                    <Button
                      key={name}
                      size="small"
                      disabled={!isAllowed}
                      aria-label={`${ADD_LABELS[name]}: ${term}`}
                      onClick={() => onAdd(name, term)}
                    >
                      {ADD_LABELS[name]}
                    </Button>
                  ))}
                </li>
              ))}
            </ul>
          );
        }}
      </QueryView>
    </section>
  );
}

interface ToleranceSliderProps {
  readonly tolerance: number;
  readonly onChange: (tolerance: number) => void;
}

function ToleranceSlider({ tolerance, onChange }: ToleranceSliderProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="font-medium">
          Suggestions at least this similar
        </label>
        <output htmlFor={id} className="tabular-nums">
          {formatRatio(tolerance)}
        </output>
      </div>
      <input
        id={id}
        type="range"
        min={0.7}
        max={1}
        step={0.05}
        value={tolerance}
        onChange={({ target }) => onChange(Number(target.value))}
        className="w-full accent-accent"
      />
    </div>
  );
}
