import { RowCounter } from '@trellis/client/download-rows.ts';
import type { NodeSelection } from '@trellis/contract/shapes/node.ts';
import { DOWNLOAD_UIDS_MAX } from '@trellis/contract/limits.ts';
import { client } from '../../api/client.ts';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { toastDone } from '../../ui/toast.ts';
import { useStoppableDownload } from './use-stoppable-download.ts';

export type RowsFormat = 'csv' | 'jsonl';

interface ExportOf {
  readonly selection: () => Promise<NodeSelection>;
  readonly fields: readonly string[];
  /** Of the file, without its ending. */
  readonly name: string;
}

/** Saves rows as a file. */
export function useExport({ selection, fields, name }: ExportOf) {
  return useStoppableDownload({
    failure: 'The rows were not exported',
    begin: async (format: RowsFormat, signal) => {
      const selected = await selection();
      const options = { baseURL: location.href.replace(/#.*$/, '') };
      const file = await (format === 'csv' ? client.nodes.downloadCsv : client.nodes.downloadJsonl)(
        { ...selected, fields },
        options,
        { signal },
      );
      const rows = new RowCounter(format);
      return {
        file,
        name: `${name}.${format}`,
        arrived: (part) => {
          rows.add(part);
          return receivedText(rows);
        },
        onSaved: () => tellOfMore(selected),
      };
    },
  });
}

function tellOfMore({ uids: some }: NodeSelection): void {
  if (some?.length !== DOWNLOAD_UIDS_MAX) return;
  const max = formatCount(DOWNLOAD_UIDS_MAX);
  toastDone(`The first ${max} rows are exported`, 'Filter for the others.');
}

function receivedText({ count = 0, bytes }: RowCounter): string {
  return `${count === 1 ? 'one row' : `${formatCount(count)} rows`}, ${formatBytes(bytes)}`;
}
