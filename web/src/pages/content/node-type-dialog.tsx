import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { type ChangeEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { type FieldRow, FieldRows, rowsOf, fieldsOfRows } from './field-rows.tsx';
import { useSchemaChange } from './use-schema-change.ts';

type NodeType = SchemaDocument['nodes'][number];

interface TypeNames {
  readonly type: string;
  readonly key: string;
  readonly label: string;
  readonly timestamp: string;
}

interface NodeTypeDialogProps {
  /** To be added to; without one a new type is made. */
  readonly existing?: NodeType;
  readonly onClose: () => void;
}

export function NodeTypeDialog({ existing, onClose }: NodeTypeDialogProps) {
  const [names, setNames] = useState<TypeNames>(() => ({
    type: existing?.type ?? '',
    key: existing?.key ?? '',
    label: existing?.label ?? '',
    timestamp: existing?.timestamp ?? '',
  }));
  const [rows, setRows] = useState<readonly FieldRow[]>(() => rowsOf(existing?.fields));
  const save = useSchemaChange(onClose);
  const submit = () => save.mutate({ nodes: [nodeTypeOf(names, rows)], edges: [] });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="wide"
      title={existing === undefined ? 'New node type' : `Change ${existing.type}`}
      description="Fields can be added and widened. An existing field keeps its name."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {save.isError && <ErrorPanel title="The schema was not changed" error={save.error} />}
        <TypeNameFields {...{ names, existing }} onChange={setNames} />
        <FieldRows rows={rows} onChange={setRows} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            disabled={names.type.trim() === ''}
            isBusy={save.isPending}
          >
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface TypeNameFieldsProps {
  readonly names: TypeNames;
  readonly existing: NodeType | undefined;
  readonly onChange: (names: TypeNames) => void;
}

function TypeNameFields({ names, existing, onChange }: TypeNameFieldsProps) {
  const field = (name: keyof TypeNames) => ({
    value: names[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) =>
      onChange({ ...names, [name]: event.target.value }),
  });
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField label="Type" required readOnly={existing !== undefined} {...field('type')} />
      <TextField
        label="Name of the key"
        hint="What identifies a node of this type."
        readOnly={existing?.key !== undefined}
        {...field('key')}
      />
      <TextField
        label="Label field"
        hint="The field that names a node for people."
        {...field('label')}
      />
      <TextField
        label="Timestamp field"
        hint="A Time field that gives the node its time."
        {...field('timestamp')}
      />
    </div>
  );
}

/** What is left blank is not told. */
function nodeTypeOf(names: TypeNames, rows: readonly FieldRow[]): NodeType {
  const told = Object.entries(names).filter(([, name]) => name.trim() !== '');
  const trimmed = told.map(([member, name]) => [member, name.trim()]);
  return { ...Object.fromEntries(trimmed), type: names.type.trim(), fields: fieldsOfRows(rows) };
}
