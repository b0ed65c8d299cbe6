import { DOWNLOAD_UIDS_MAX } from '@trellis/contract/limits.ts';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { client } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { saveDownload } from '../../ui/save-download.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import { readUids, type RowsRequest } from './data-queries.ts';

interface ExportMenuProps {
  readonly request: RowsRequest;
  readonly columns: readonly string[];
  /** Those that are selected; with none, all rows of the table. */
  readonly uids: readonly string[];
}

type Format = 'csv' | 'jsonl';

/** Downloads the rows with the columns that are shown. */
export function ExportMenu({ request, columns, uids }: ExportMenuProps) {
  const download = useMutation({
    mutationFn: async (format: Format) => {
      const selection = await selectionOf(request, uids);
      const body = { ...selection, fields: columns.filter((field) => field !== 'Timestamp') };
      const options = { baseURL: location.href.replace(/#.*$/, '') };
      const file =
        format === 'csv'
          ? await client.nodes.downloadCsv(body, options)
          : await client.nodes.downloadJsonl(body, options);
      await saveDownload(file, `${request.type}.${format}`);
      return selection;
    },
    onSuccess: ({ uids: some }) => {
      if (some?.length !== DOWNLOAD_UIDS_MAX) return;
      const max = formatCount(DOWNLOAD_UIDS_MAX);
      toastDone(`The first ${max} rows are exported`, 'Filter for the others.');
    },
    onError: (error) => toastError('The rows were not exported', error),
  });
  return (
    <Menu
      trigger={
        <Button icon={Download} isBusy={download.isPending}>
          Export
        </Button>
      }
      items={[
        { label: 'As CSV', onSelect: () => download.mutate('csv') },
        { label: 'As JSON lines', onSelect: () => download.mutate('jsonl') },
      ]}
    />
  );
}

async function selectionOf(
  request: RowsRequest,
  uids: readonly string[],
): Promise<{ readonly uids?: readonly string[]; readonly type?: string }> {
  if (uids.length > 0) return { uids };
  if (request.where === undefined && request.sort === undefined) return { type: request.type };
  return { uids: await readUids(request, DOWNLOAD_UIDS_MAX) };
}
