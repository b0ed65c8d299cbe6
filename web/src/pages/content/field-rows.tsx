import type { FieldType } from '@trellis/contract/shapes/schema-document.ts';
import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FIELD_TYPE_OPTIONS, isFieldType } from './field-types.ts';

export interface FieldRow {
  /** Stays while the name is written. */
  readonly id: number;
  readonly name: string;
  readonly type: string;
  /** It is in the schema already: its name stays, its type may become a wider one. */
  readonly isStored: boolean;
}

interface FieldRowsProps {
  readonly rows: readonly FieldRow[];
  readonly onChange: (rows: readonly FieldRow[]) => void;
}

/** The fields of a type, to be named and typed. */
export function FieldRows({ rows, onChange }: FieldRowsProps) {
  const change = (id: number, part: Partial<FieldRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const add = () => {
    const id = Math.max(0, ...rows.map((row) => row.id)) + 1;
    onChange([...rows, { id, name: '', type: 'String', isStored: false }]);
  };
  return (
    <fieldset>
      <legend className="font-medium">Fields</legend>
      <ul className="mt-2 flex flex-col gap-2">
        {rows.map((row, at) => (
          <li key={row.id} className="flex items-end gap-2">
            <TextField
              label={`Name of field ${at + 1}`}
              isLabelHidden
              className="flex-1"
              placeholder="Name"
              value={row.name}
              readOnly={row.isStored}
              onChange={(event) => change(row.id, { name: event.target.value })}
            />
            <SelectField
              label={`Type of field ${row.name || at + 1}`}
              isLabelHidden
              className="w-40"
              options={FIELD_TYPE_OPTIONS}
              value={row.type}
              onChange={(event) => change(row.id, { type: event.target.value })}
            />
            <IconButton
              icon={X}
              label={`Remove field ${row.name || at + 1}`}
              disabled={row.isStored}
              onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
            />
          </li>
        ))}
      </ul>
      <Button size="small" icon={Plus} className="mt-2" onClick={add}>
        Add a field
      </Button>
    </fieldset>
  );
}

export function rowsOf(fields: Readonly<Record<string, string>> | undefined): FieldRow[] {
  return Object.entries(fields ?? {}).map(([name, type], id) => ({
    id,
    name,
    type,
    isStored: true,
  }));
}

/** The fields by name; rows without a name are left out. */
export function fieldsOfRows(rows: readonly FieldRow[]): Record<string, FieldType> {
  const fields: Record<string, FieldType> = {};
  for (const { name, type } of rows) {
    if (name.trim() !== '' && isFieldType(type)) fields[name.trim()] = type;
  }
  return fields;
}
