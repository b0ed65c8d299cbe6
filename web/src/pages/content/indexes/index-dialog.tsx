import { INDEX_FIELDS_MAX } from '@trellis/contract/limits.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { CheckboxField, SelectField } from '../../../ui/field.tsx';
import {
  canBeUnique,
  indexableFields,
  type IndexableField,
  indexOver,
  purposeOf,
} from './field-index.ts';
import { useAddedIndex } from './use-added-index.ts';

type NodeType = SchemaDocument['nodes'][number];

interface ChosenField {
  /** Stays while another field is chosen. */
  readonly id: number;
  /** Empty until one is chosen. */
  readonly name: string;
}

interface IndexDialogProps {
  /** One of them gets the index. */
  readonly types: readonly [NodeType, ...NodeType[]];
  readonly onClose: () => void;
}

export function IndexDialog({ types, onClose }: IndexDialogProps) {
  const [typeName, setTypeName] = useState(types[0].type);
  const [rows, setRows] = useState<readonly ChosenField[]>([{ id: 0, name: '' }]);
  const [wantsUnique, setWantsUnique] = useState(false);
  const save = useAddedIndex(onClose);
  const type = types.find((one) => one.type === typeName) ?? types[0];
  const all = indexableFields(type);
  const fields = rows.flatMap(({ name }) => all.find((field) => field.name === name) ?? []);
  const names = fields.map(({ name }) => name);
  const unique = wantsUnique && canBeUnique(fields);
  const existing = indexOver(type, names);
  // One that is there and not unique cannot become unique: the server says so.
  const isThere = existing !== undefined && (existing.unique === true || !unique);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Add index"
      description="The server builds it while reads and writes go on. In an encrypted workspace it finds single values only, no range and no order."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ type: typeName, names, unique });
        }}
      >
        {save.isError && <ErrorPanel title="The index was not added" error={save.error} />}
        <SelectField
          label="Node type"
          value={typeName}
          options={types.map((one) => ({ value: one.type, label: one.type }))}
          onChange={(event) => {
            setTypeName(event.target.value);
            setRows([{ id: 0, name: '' }]);
          }}
        />
        <ChosenFields all={all} rows={rows} onChange={setRows} />
        <CheckboxField
          label="Unique"
          hint="No two nodes of the type share the value. If some do now, the index is not built."
          checked={unique}
          disabled={!canBeUnique(fields)}
          onChange={(event) => setWantsUnique(event.target.checked)}
        />
        <p aria-live="polite" className="rounded-control bg-sunken px-3 py-2">
          {isThere ? `${typeName} has this index already.` : purposeOf(fields)}
        </p>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            disabled={isThere || names.length < rows.length}
            isBusy={save.isPending}
          >
            Add
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface ChosenFieldsProps {
  readonly all: readonly IndexableField[];
  readonly rows: readonly ChosenField[];
  readonly onChange: (rows: readonly ChosenField[]) => void;
}

/** One field, or several in their order. */
function ChosenFields({ all, rows, onChange }: ChosenFieldsProps) {
  const isSingle = rows.length === 1;
  const taken = new Set(rows.map(({ name }) => name));
  const left = all.filter(({ name, canBeCombined }) => canBeCombined && !taken.has(name));
  const alone = all.find(({ name, canBeCombined }) => taken.has(name) && !canBeCombined);
  const isFull = rows.length >= INDEX_FIELDS_MAX || left.length === 0;
  return (
    <fieldset>
      <legend className="font-medium">{isSingle ? 'Field' : 'Fields, in order'}</legend>
      <ol className="mt-2 flex flex-col gap-2">
        {rows.map(({ id, name }, at) => (
          <li key={id} className="flex items-end gap-2">
            <SelectField
              label={`Field ${at + 1}`}
              isLabelHidden
              className="flex-1"
              required
              value={name}
              options={optionsOf(
                isSingle ? all : all.filter((field) => field.name === name || left.includes(field)),
              )}
              onChange={(event) =>
                onChange(
                  rows.map((row) => (row.id === id ? { id, name: event.target.value } : row)),
                )
              }
            />
            {!isSingle && (
              <IconButton
                icon={X}
                label={`Remove field ${at + 1}`}
                onClick={() => onChange(rows.filter((row) => row.id !== id))}
              />
            )}
          </li>
        ))}
      </ol>
      <Button
        size="small"
        icon={Plus}
        className="mt-2"
        disabled={isFull || alone !== undefined || taken.has('')}
        onClick={() =>
          onChange([...rows, { id: Math.max(...rows.map(({ id }) => id)) + 1, name: '' }])
        }
      >
        Add a field
      </Button>
      {alone !== undefined && (
        <p className="mt-1 text-[13px] text-muted">
          {alone.name} is {alone.type}, which can only be indexed alone.
        </p>
      )}
    </fieldset>
  );
}

function optionsOf(fields: readonly IndexableField[]): { value: string; label: string }[] {
  return [
    { value: '', label: 'Choose a field' },
    ...fields.map(({ name, type }) => ({ value: name, label: `${name}: ${type}` })),
  ];
}
