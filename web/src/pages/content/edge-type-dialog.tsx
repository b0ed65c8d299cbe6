import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { type FieldRow, FieldRows, rowsOf, fieldsOfRows } from './field-rows.tsx';
import { useSchemaChange } from './use-schema-change.ts';

type EdgeType = SchemaDocument['edges'][number];

interface EdgeTypeDialogProps {
  /** To be added to; without one a new type is made. */
  readonly existing?: EdgeType;
  readonly onClose: () => void;
}

export function EdgeTypeDialog({ existing, onClose }: EdgeTypeDialogProps) {
  const [type, setType] = useState(existing?.type ?? '');
  const [inverse, setInverse] = useState(existing?.inverse ?? '');
  const [rows, setRows] = useState<readonly FieldRow[]>(() => rowsOf(existing?.fields));
  const save = useSchemaChange(onClose);
  const submit = () => {
    const fields = fieldsOfRows(rows);
    const edge = {
      type: type.trim(),
      ...(inverse.trim() !== '' && { inverse: inverse.trim() }),
      ...(Object.keys(fields).length > 0 && { fields }),
    };
    save.mutate({ nodes: [], edges: [edge] });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={existing === undefined ? 'New edge type' : `Change ${existing.type}`}
      description="Edges are directed. With an inverse, each edge has another one in the opposite direction, added and removed with it."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {save.isError && <ErrorPanel title="The schema was not changed" error={save.error} />}
        <TextField
          label="Type"
          required
          readOnly={existing !== undefined}
          value={type}
          onChange={(event) => setType(event.target.value)}
        />
        <TextField
          label="Inverse"
          readOnly={existing?.inverse !== undefined}
          value={inverse}
          onChange={(event) => setInverse(event.target.value)}
        />
        <FieldRows rows={rows} onChange={setRows} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            disabled={type.trim() === ''}
            isBusy={save.isPending}
          >
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
