import { useMutation, useQueryClient } from '@tanstack/react-query';
import { schemaChangeText } from '@trellis/contract/schema-change-text.ts';
import type { SchemaChange } from '@trellis/contract/shapes/schema-change.ts';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { FIELD_TYPE_OPTIONS } from '../field-types.ts';
import { ChangeExtent } from './change-extent.tsx';
import { refreshSchema } from './change-queries.ts';
import {
  type ChangedType,
  type Deed,
  deedsOf,
  schemaChangeOf,
  type WantedChange,
} from './wanted-change.ts';

const DEEDS: Readonly<Record<Deed, string>> = {
  rename: 'Rename',
  retype: 'Give another type',
  drop: 'Drop',
};

interface ChangeDialogProps {
  readonly kind: 'node' | 'edge';
  readonly type: ChangedType;
  readonly onClose: () => void;
}

/** Renames, retypes or drops a type or one of its fields, after a dry run has said what follows. */
export function ChangeDialog({ kind, type, onClose }: ChangeDialogProps) {
  const queries = useQueryClient();
  const [wanted, setWanted] = useState<WantedChange>({ deed: 'rename', field: '', to: '' });
  const trial = useMutation({
    mutationFn: (change: SchemaChange) => client.schema.change({ changes: [change], dryRun: true }),
  });
  const change = schemaChangeOf(kind, type, wanted);
  const breaks = trial.data?.breaks ?? [];
  const make = useMutation({
    mutationFn: (one: SchemaChange) =>
      client.schema.change({ changes: [one], force: breaks.length > 0 }),
    onSuccess: async (_outcome, one) => {
      await refreshSchema(queries);
      toastDone('The schema is changed', `${schemaChangeText(one)}. Undo it under Changes.`);
      onClose();
    },
  });
  const want = (next: WantedChange) => {
    trial.reset();
    make.reset();
    setWanted(next);
  };
  const deed = DEEDS[wanted.deed];
  return (
    <Dialog
      isOpen
      keepsOpen
      onClose={onClose}
      title={`Rename, retype or drop ${type.type}`}
      description="Nodes and edges are not rewritten: a change is made at once, whatever their number, and can be undone."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (change !== undefined) trial.mutate(change);
        }}
      >
        <WantedFields kind={kind} type={type} wanted={wanted} onChange={want} />
        <div aria-live="polite" className="flex flex-col gap-3">
          {trial.isError && <ErrorPanel title="The dry run failed" error={trial.error} />}
          {make.isError && <ErrorPanel title="The schema was not changed" error={make.error} />}
          {trial.data !== undefined && <ChangeExtent outcome={trial.data} />}
        </div>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind={trial.data === undefined ? 'primary' : 'plain'}
            disabled={change === undefined || make.isPending}
            isBusy={trial.isPending}
          >
            {trial.data === undefined ? 'Dry run' : 'Dry run again'}
          </Button>
          {trial.data !== undefined && change !== undefined && (
            <Button
              kind={breaks.length > 0 || trial.data.lossy ? 'danger' : 'primary'}
              isBusy={make.isPending}
              onClick={() => make.mutate(change)}
            >
              {breaks.length > 0 ? `${deed} anyway` : deed}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface WantedFieldsProps extends Omit<ChangeDialogProps, 'onClose'> {
  readonly wanted: WantedChange;
  readonly onChange: (wanted: WantedChange) => void;
}

function WantedFields({ kind, type, wanted, onChange }: WantedFieldsProps) {
  const { deed, field, to } = wanted;
  const { key, fields = {} } = type;
  const names = [...(key === undefined ? [] : [key]), ...Object.keys(fields)];
  const deeds = deedsOf(kind, type, field);
  const choose = (nextDeed: Deed, nextField: string) => {
    const possible = deedsOf(kind, type, nextField);
    const chosen = possible.find((one) => one === nextDeed) ?? 'rename';
    // A type is chosen from a list, which begins with the one of now.
    const first = chosen === 'retype' ? (fields[nextField] ?? '') : '';
    onChange({ deed: chosen, field: nextField, to: first });
  };
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="What"
          value={field}
          options={[
            { value: '', label: `The type ${type.type}` },
            ...[...new Set(names)].map((name) => ({ value: name, label: fieldLabel(type, name) })),
          ]}
          onChange={(event) => choose(deed, event.target.value)}
        />
        <SelectField
          label="Change"
          value={deed}
          options={deeds.map((value) => ({ value, label: DEEDS[value] }))}
          onChange={(event) => {
            const chosen = deeds.find((one) => one === event.target.value);
            if (chosen !== undefined) choose(chosen, field);
          }}
        />
      </div>
      {deed === 'rename' && (
        <TextField
          label="New name"
          hint="Reads take the former name too, until you remove it under Changes."
          autoComplete="off"
          required
          value={to}
          onChange={(event) => onChange({ ...wanted, to: event.target.value })}
        />
      )}
      {deed === 'retype' && (
        <SelectField
          label="New type"
          hint="Values are converted as they are read, and stay as they were written."
          value={to}
          options={FIELD_TYPE_OPTIONS}
          onChange={(event) => onChange({ ...wanted, to: event.target.value })}
        />
      )}
      {deed === 'drop' && <p className="text-muted">{dropText(kind, field)}</p>}
    </>
  );
}

function fieldLabel({ key, fields }: ChangedType, name: string): string {
  return name === key ? `The key ${name}` : `The field ${name}: ${fields?.[name] ?? ''}`;
}

function dropText(kind: 'node' | 'edge', field: string): string {
  if (field !== '') return 'The field is hidden with all its values. An undo shows them again.';
  return kind === 'node'
    ? 'The type is hidden with its nodes and all their edges. An undo shows them again.'
    : 'The edge type is hidden with its edges and its inverse. An undo shows them again.';
}
