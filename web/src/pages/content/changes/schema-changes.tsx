import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { schemaChangeText, schemaPlaceText } from '@trellis/contract/schema-change-text.ts';
import type { SchemaChangeRecord } from '@trellis/contract/shapes/schema-change.ts';
import type { SchemaAlias, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { FileClock } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { CHANGES_TAKE, refreshSchema, schemaChangesQuery } from './change-queries.ts';

/** The changes of what is in use, each with its way back, and the former names that still serve. */
export function SchemaChanges({ schema }: { readonly schema: SchemaDocument }) {
  const [skip, setSkip] = useState(0);
  const [undone, setUndone] = useState<SchemaChangeRecord>();
  const [removed, setRemoved] = useState<SchemaAlias>();
  const changes = useQuery(schemaChangesQuery(skip));
  const { aliases = [] } = schema;
  return (
    <div className="flex flex-col gap-5">
      <Card title="Changes" description="What was renamed, retyped and dropped." isFlush>
        <QueryView query={changes} errorTitle="The changes could not be read">
          {({ items, total }) => (
            <>
              <ChangeTable items={items} onUndo={setUndone} />
              <Pager
                skip={skip}
                take={CHANGES_TAKE}
                shown={items.length}
                total={total}
                onSkip={setSkip}
              />
            </>
          )}
        </QueryView>
      </Card>
      {aliases.length > 0 && (
        <Card
          title="Former names"
          description="Reads take them as well. Once one is removed, another type or field may have the name."
          isFlush
        >
          <FormerNames aliases={aliases} onRemove={setRemoved} />
        </Card>
      )}
      {undone !== undefined && <UndoDialog change={undone} onClose={() => setUndone(undefined)} />}
      {removed !== undefined && (
        <RemoveDialog alias={removed} onClose={() => setRemoved(undefined)} />
      )}
    </div>
  );
}

interface ChangeTableProps {
  readonly items: readonly SchemaChangeRecord[];
  readonly onUndo: (change: SchemaChangeRecord) => void;
}

function ChangeTable({ items, onUndo }: ChangeTableProps) {
  const { isAllowed } = useChangePermission();
  if (items.length === 0) {
    return (
      <EmptyState icon={FileClock} title="No changes">
        The list has a button at each type that renames, retypes or drops it or its fields.
      </EmptyState>
    );
  }
  return (
    <DataTable
      label="Changes of the schema"
      rows={items}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Change',
          cell: (one) => <span className="font-medium wrap-anywhere">{textOf(one)}</span>,
        },
        { title: 'At', cell: ({ at }) => <Time iso={at} /> },
        { title: 'By', isMinor: true, cell: ({ by }) => by?.name ?? 'a token' },
        { title: 'State', cell: (one) => <State change={one} /> },
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: (one) =>
            mayBeUndone(one) && (
              <Button
                size="small"
                disabled={!isAllowed}
                aria-label={`Undo: ${textOf(one)}`}
                onClick={() => onUndo(one)}
              >
                Undo
              </Button>
            ),
        },
      ]}
    />
  );
}

function State({ change: { undoes, undoneBy, forced } }: { readonly change: SchemaChangeRecord }) {
  if (undoneBy !== null) return <Badge>Undone</Badge>;
  if (undoes !== null) return <Badge tone="info">Undo</Badge>;
  return forced ? <Badge tone="warning">Forced</Badge> : <Badge tone="good">Made</Badge>;
}

function mayBeUndone({ undoneBy, changes }: SchemaChangeRecord): boolean {
  return undoneBy === null && changes.every((one) => !('restore' in one));
}

function textOf({ changes }: SchemaChangeRecord): string {
  const text = changes.map(schemaChangeText).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function UndoDialog(props: { readonly change: SchemaChangeRecord; readonly onClose: () => void }) {
  const { change, onClose } = props;
  const queries = useQueryClient();
  const undo = useMutation({
    mutationFn: () => client.schema.undoChange(change.id),
    onSuccess: async () => {
      await refreshSchema(queries);
      toastDone('The change is undone', textOf(change));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title="Undo this change?"
      action="Undo"
      isBusy={undo.isPending}
      onClose={onClose}
      onConfirm={() => undo.mutate()}
    >
      {undo.isError && <ErrorPanel title="The change was not undone" error={undo.error} />}
      <p className="wrap-anywhere">
        {textOf(change)}. Names, types of fields and what was dropped come back. Code that was
        written for the schema of now may break.
      </p>
    </ConfirmDialog>
  );
}

interface FormerNamesProps {
  readonly aliases: readonly SchemaAlias[];
  readonly onRemove: (alias: SchemaAlias) => void;
}

function FormerNames({ aliases, onRemove }: FormerNamesProps) {
  const { isAllowed } = useChangePermission();
  return (
    <DataTable
      label="Former names"
      rows={aliases}
      keyOf={(one) => JSON.stringify(one)}
      columns={[
        { title: 'Former name', cell: ({ alias }) => alias },
        { title: 'Name of now', cell: (one) => schemaPlaceText(one) },
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: (one) => (
            <Button
              size="small"
              disabled={!isAllowed}
              aria-label={`Remove the former name ${one.alias} of ${schemaPlaceText(one)}`}
              onClick={() => onRemove(one)}
            >
              Remove
            </Button>
          ),
        },
      ]}
    />
  );
}

function RemoveDialog(props: { readonly alias: SchemaAlias; readonly onClose: () => void }) {
  const { alias, onClose } = props;
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.schema.removeAlias(alias),
    onSuccess: async () => {
      await refreshSchema(queries);
      toastDone('The former name is removed', alias.alias);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Remove the former name ${alias.alias}?`}
      action="Remove"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      {remove.isError && <ErrorPanel title="The name was not removed" error={remove.error} />}
      <p>
        Code, requests and imports that still say {alias.alias} for {schemaPlaceText(alias)} are
        then refused.
      </p>
    </ConfirmDialog>
  );
}
