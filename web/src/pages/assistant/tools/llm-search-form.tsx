import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { LlmSearchSettings } from '@trellis/contract/shapes/search.ts';
import { TextSearch } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { CheckboxField } from '../../../ui/field.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { SaveOrDiscard } from '../../../ui/save-or-discard.tsx';
import { filtersOf, type LlmSearchLists, storedLists, withTypes } from './llm-search-lists.ts';
import { llmSearchQuery } from './tool-queries.ts';

/** What the search tool of models looks in, and may narrow by (specification, section 4.6). */
export function LlmSearchForm({ settings }: { readonly settings: LlmSearchSettings }) {
  const { isAllowed } = useChangePermission();
  const [changed, setChanged] = useState<LlmSearchLists>();
  const save = useLlmSearchChange(() => setChanged(undefined));
  const { available } = settings;
  const types = Object.keys(available).toSorted();
  const shown = changed ?? settings;
  if (types.length === 0) return <NothingToSearch />;
  return (
    <Card
      title="What models search"
      description="It keeps models to the point and hides nothing: access decides what a user may see, and people search as before."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(storedLists(available, shown));
        }}
      >
        {save.isError && <ErrorPanel title="The settings were not saved" error={save.error} />}
        <fieldset className="contents" disabled={!isAllowed}>
          <Choices
            title="Node types"
            names={types}
            chosen={shown.nodeTypes}
            onChange={(nodeTypes) => setChanged(withTypes(available, shown, nodeTypes))}
          />
          <Choices
            title="Filters"
            names={filtersOf(available, shown.nodeTypes)}
            chosen={shown.filters}
            onChange={(filters) => setChanged({ nodeTypes: shown.nodeTypes, filters })}
          />
          <p className="text-[13px] text-muted">A list with nothing chosen allows all of it.</p>
          <SaveOrDiscard
            isChanged={changed !== undefined}
            isBusy={save.isPending}
            onDiscard={() => setChanged(undefined)}
          />
        </fieldset>
      </form>
    </Card>
  );
}

function NothingToSearch() {
  return (
    <Card>
      <EmptyState icon={TextSearch} title="There is nothing to search yet">
        Make a type searchable in the search settings, then choose here what models find.
      </EmptyState>
    </Card>
  );
}

function useLlmSearchChange(onSaved: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (lists: LlmSearchLists) => client.search.putLlmSettings(lists),
    onSuccess: (saved) => {
      queries.setQueryData(llmSearchQuery.queryKey, saved);
      onSaved();
      toastDone('What models search is saved');
    },
  });
}

interface ChoicesProps {
  readonly title: string;
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function Choices({ title, names, chosen, onChange }: ChoicesProps) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{title}</legend>
      {names.length === 0 ? (
        <p className="text-muted">There are none.</p>
      ) : (
        <div className="grid gap-x-4 gap-y-1.5 sm:grid-cols-2 lg:grid-cols-3">
          {names.map((name) => (
            <CheckboxField
              key={name}
              label={name}
              className="wrap-anywhere"
              checked={chosen.includes(name)}
              onChange={({ target }) =>
                onChange(
                  target.checked ? [...chosen, name] : chosen.filter((other) => other !== name),
                )
              }
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}
