import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { useState } from 'react';
import { Card } from '../../ui/card.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { type ColumnPlan, faultsOf, guessPlan, type ImportPlan } from './import-plan.ts';
import { ImportPreview } from './import-preview.tsx';
import { ImportRun } from './import-run-card.tsx';
import { FIELD_TYPE_OPTIONS, isFieldType } from './field-types.ts';
import type { ChosenFile } from './import-file.ts';

interface ImportMappingProps {
  readonly chosen: ChosenFile;
  readonly schema: SchemaDocument;
}

/** What the columns are, what comes of it, and the run itself. */
export function ImportMapping({ chosen, schema }: ImportMappingProps) {
  const [plan, setPlan] = useState(() => {
    const rows = chosen.rows.filter(({ fault }) => fault === undefined).map(({ row }) => row);
    return guessPlan(chosen.file.name, rows, schema);
  });
  const faults = faultsOf(plan);
  return (
    <>
      <Card title="2. The columns">
        <div className="mb-4 grid gap-4 sm:grid-cols-2">
          <TextField
            label="Type of the nodes"
            hint="An existing type, or a new one."
            list="node-types"
            value={plan.type}
            onChange={(event) => setPlan({ ...plan, type: event.target.value.trim() })}
          />
          <datalist id="node-types">
            {schema.nodes.map(({ type }) => (
              <option key={type} value={type} />
            ))}
          </datalist>
          <SelectField
            label="Column with the keys"
            hint="A row with the key of an existing node changes that node."
            value={plan.keyColumn}
            options={plan.columns.map(({ column }) => ({ value: column, label: column }))}
            onChange={(event) => setPlan({ ...plan, keyColumn: event.target.value })}
          />
        </div>
        <ColumnTable plan={plan} onChange={setPlan} />
        {faults.length > 0 && (
          <div className="mt-4">
            <Notice tone="warning">{faults.join(' ')}</Notice>
          </div>
        )}
      </Card>
      {faults.length === 0 && <ImportPreview chosen={chosen} plan={plan} />}
      <ImportRun chosen={chosen} plan={plan} isReady={faults.length === 0} />
    </>
  );
}

interface ColumnTableProps {
  readonly plan: ImportPlan;
  readonly onChange: (plan: ImportPlan) => void;
}

function ColumnTable({ plan, onChange }: ColumnTableProps) {
  const change = (column: string, part: Partial<ColumnPlan>) =>
    onChange({
      ...plan,
      columns: plan.columns.map((one) => (one.column === column ? { ...one, ...part } : one)),
    });
  return (
    <ul className="divide-y border-t">
      {plan.columns.map((column) => (
        <li key={column.column} className="grid gap-2 py-2 sm:grid-cols-[10rem_9rem_1fr_1fr]">
          <span className="self-center font-medium break-words">{column.column}</span>
          <SelectField
            label={`Use of ${column.column}`}
            isLabelHidden
            value={column.use}
            options={[
              { value: 'field', label: 'Field' },
              { value: 'edge', label: 'Edge' },
              { value: 'skip', label: column.column === plan.keyColumn ? 'Key only' : 'Skip' },
            ]}
            onChange={({ target: { value } }) =>
              change(column.column, { use: value === 'field' || value === 'edge' ? value : 'skip' })
            }
          />
          <ColumnTarget column={column} onChange={(part) => change(column.column, part)} />
        </li>
      ))}
    </ul>
  );
}

interface ColumnTargetProps {
  readonly column: ColumnPlan;
  readonly onChange: (part: Partial<ColumnPlan>) => void;
}

function ColumnTarget({ column, onChange }: ColumnTargetProps) {
  if (column.use === 'skip') return null;
  if (column.use === 'edge') {
    return (
      <>
        <TextField
          label={`Edge type of ${column.column}`}
          isLabelHidden
          placeholder="Edge type"
          value={column.edge}
          onChange={(event) => onChange({ edge: event.target.value.trim() })}
        />
        <TextField
          label={`Type that ${column.column} leads to`}
          isLabelHidden
          placeholder="Type of the other node"
          value={column.target}
          onChange={(event) => onChange({ target: event.target.value.trim() })}
        />
      </>
    );
  }
  return (
    <>
      <TextField
        label={`Field of ${column.column}`}
        isLabelHidden
        placeholder="Field"
        value={column.field}
        onChange={(event) => onChange({ field: event.target.value.trim() })}
      />
      <SelectField
        label={`Type of ${column.column}`}
        isLabelHidden
        value={column.type}
        options={FIELD_TYPE_OPTIONS}
        onChange={({ target: { value } }) => isFieldType(value) && onChange({ type: value })}
      />
    </>
  );
}
