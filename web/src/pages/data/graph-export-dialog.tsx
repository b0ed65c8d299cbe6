import { EXPORT_FORMATS, type ExportFormat } from '@trellis/contract/shapes/graph-export.ts';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { formatBytes } from '../../ui/format.ts';
import { toastDone } from '../../ui/toast.ts';
import { type UserOrTeam, UserPicker } from '../../ui/user-picker.tsx';
import { useStoppableDownload } from './use-stoppable-download.ts';

const FORMATS: readonly { readonly value: ExportFormat; readonly label: string }[] = [
  { value: 'jsonl', label: 'JSON lines, to import again' },
  { value: 'nquads', label: 'N-Quads (RDF)' },
  { value: 'jsonld', label: 'JSON-LD (RDF)' },
  { value: 'graphml', label: 'GraphML, for Gephi, yEd, networkx' },
];

interface GraphExportDialogProps {
  readonly onClose: () => void;
}

/** All types with their edges as one file, as they are or as one user sees them. */
export function GraphExportDialog({ onClose }: GraphExportDialogProps) {
  const [format, setFormat] = useState<ExportFormat>('jsonl');
  const [as, setAs] = useState<UserOrTeam>();
  const { start, stop, isRunning, progress } = useStoppableDownload({
    failure: 'The graph was not exported',
    begin: async (asked: { format: ExportFormat; as?: string }, signal) => {
      const name = `graph.${EXPORT_FORMATS[asked.format].ending}`;
      let bytes = 0;
      return {
        file: await client.graph.export(asked, { signal }),
        name,
        arrived: (part) => formatBytes((bytes += part.length)),
        onSaved: () => {
          toastDone('The graph is exported', name);
          onClose();
        },
      };
    },
  });
  const close = () => {
    stop();
    onClose();
  };
  return (
    <Dialog
      isOpen
      keepsOpen
      onClose={close}
      title="Export the whole graph"
      description="All nodes and edges with their schema. Users, files, code and rules of access are not in it."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          start({ format, ...(as !== undefined && { as: as.UID }) });
        }}
      >
        <SelectField
          label="Format"
          value={format}
          options={FORMATS}
          disabled={isRunning}
          onChange={(event) => {
            const chosen = FORMATS.find(({ value }) => value === event.target.value);
            if (chosen !== undefined) setFormat(chosen.value);
          }}
        />
        <UserPicker
          label="Only what this user sees"
          hint="Leave it empty for everything."
          isDisabled={isRunning}
          value={as}
          onChange={setAs}
        />
        {isRunning && (
          <p role="status" aria-label="Export of the graph" className="text-muted tabular-nums">
            {progress ?? 'Preparing …'}
          </p>
        )}
        <DialogActions>
          <Button onClick={close}>{isRunning ? 'Stop the export' : 'Cancel'}</Button>
          <Button kind="primary" type="submit" isBusy={isRunning}>
            Export
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
