import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { SearchSettings } from '@trellis/contract/shapes/search.ts';
import { TextSearch } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toastDone } from '../../ui/toast.ts';
import { SaveOrDiscard } from '../../ui/save-or-discard.tsx';
import {
  searchableTypes,
  searchIndexQuery,
  searchSettingsQuery,
  type TypeSettings,
  unnamedType,
} from './search-settings.ts';
import { TypeSearchSettings } from './type-search-settings.tsx';

interface SearchSettingsFormProps {
  readonly schema: SchemaDocument;
  readonly settings: SearchSettings;
}

function useSettingsChange(onSaved: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: SearchSettings) => client.search.putSettings(wanted),
    onSuccess: (saved) => {
      queries.setQueryData(searchSettingsQuery.queryKey, saved);
      onSaved();
      toastDone('The search settings are saved', 'What changed is indexed in the background.');
      return queries.invalidateQueries({ queryKey: searchIndexQuery.queryKey });
    },
  });
}

export function SearchSettingsForm({ schema, settings }: SearchSettingsFormProps) {
  const permission = useChangePermission();
  const [changed, setChanged] = useState<SearchSettings>();
  const shown = changed ?? settings;
  const save = useSettingsChange(() => setChanged(undefined));
  const types = searchableTypes(schema, settings);
  if (types.length === 0) {
    return (
      <Card>
        <EmptyState icon={TextSearch} title="There is nothing to search yet">
          Add node types, or import some nodes, and set here what is searched.
        </EmptyState>
      </Card>
    );
  }
  const fieldsOf = (type: string) => schema.nodes.find((node) => node.type === type)?.fields ?? {};
  const change = (type: string, part: TypeSettings) =>
    setChanged({ types: { ...shown.types, [type]: part } });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(shown);
      }}
    >
      {permission.reason !== undefined && <Notice tone="info">{permission.reason}</Notice>}
      {save.isError && <ErrorPanel title="The settings were not saved" error={save.error} />}
      <fieldset disabled={!permission.isAllowed} className="flex flex-col gap-4">
        {types.map((type) => (
          <TypeSearchSettings
            key={type}
            type={type}
            fields={fieldsOf(type)}
            settings={shown.types[type] ?? unnamedType(fieldsOf(type))}
            onChange={(part) => change(type, part)}
          />
        ))}
        <SaveOrDiscard
          isChanged={changed !== undefined}
          isBusy={save.isPending}
          onDiscard={() => setChanged(undefined)}
        />
      </fieldset>
    </form>
  );
}
