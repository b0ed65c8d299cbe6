import { DOWNLOAD_UIDS_MAX } from '@trellis/contract/limits.ts';
import type { NodeSelection } from '@trellis/contract/shapes/node.ts';
import { CircleStop, Download } from 'lucide-react';
import { useState } from 'react';
import { useViewer } from '../../api/viewer.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { readUids, type RowsRequest } from './data-queries.ts';
import { GraphExportDialog } from './graph-export-dialog.tsx';
import { useExport } from './use-export.ts';

interface ExportMenuProps {
  readonly request: RowsRequest;
  readonly columns: readonly string[];
  /** Those that are selected; with none, all rows of the table. */
  readonly uids: readonly string[];
}

/** Downloads the rows with the columns that are shown. */
export function ExportMenu({ request, columns, uids }: ExportMenuProps) {
  const { start, stop, isRunning, progress } = useExport({
    selection: () => selectionOf(request, uids),
    fields: columns.filter((field) => field !== 'Timestamp'),
    name: request.type,
  });
  const viewer = useViewer();
  const [showsGraph, setShowsGraph] = useState(false);
  const ofGraph = {
    label: 'The whole graph …',
    hint: 'All types, with edges',
    onSelect: () => setShowsGraph(true),
  };
  return (
    <>
      {isRunning && (
        <>
          <span role="status" aria-label="Export" className="text-muted tabular-nums">
            {progress ?? 'Preparing …'}
          </span>
          <Button icon={CircleStop} onClick={stop}>
            Stop the export
          </Button>
        </>
      )}
      <Menu
        trigger={
          <Button icon={Download} isBusy={isRunning}>
            Export
          </Button>
        }
        items={[
          { label: 'As CSV', onSelect: () => start('csv') },
          { label: 'As JSON lines', onSelect: () => start('jsonl') },
          ...(viewer?.seesAdministration === true ? [ofGraph] : []),
        ]}
      />
      {showsGraph && <GraphExportDialog onClose={() => setShowsGraph(false)} />}
    </>
  );
}

async function selectionOf(request: RowsRequest, uids: readonly string[]): Promise<NodeSelection> {
  if (uids.length > 0) return { uids };
  if (request.where === undefined && request.sort === undefined) return { type: request.type };
  return { uids: await readUids(request, DOWNLOAD_UIDS_MAX) };
}
