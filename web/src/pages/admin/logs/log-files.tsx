import { useMutation, useQuery } from '@tanstack/react-query';
import { Download, FileText } from 'lucide-react';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatBytes } from '../../../ui/format.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { saveDownload } from '../../../ui/save-download.ts';
import { Time } from '../../../ui/time.tsx';
import { toastError } from '../../../ui/toast.ts';

export function LogFiles() {
  const files = useQuery({
    queryKey: ['log-files'],
    queryFn: ({ signal }) => client.logs.listFiles({ signal }),
  });
  const download = useMutation({
    mutationFn: async (fileNames: readonly string[]) => {
      const answer = await client.logs.download({ fileNames });
      await saveDownload(answer, fileNames.length === 1 ? (fileNames[0] ?? '') : 'trellis.log');
    },
    onError: (error) => toastError('The log could not be downloaded', error),
  });
  return (
    <Card isFlush>
      <QueryView query={files} errorTitle="The log files could not be read">
        {({ items, source }) =>
          items.length === 0 ? (
            <EmptyState
              icon={FileText}
              title={source === 'memory' ? 'No log files are written here' : 'No log files yet'}
            >
              Set <code className="font-mono">MSK_LOG_PATH</code> to a folder, and the log is kept
              there by day.
            </EmptyState>
          ) : (
            <DataTable
              label="Log files"
              rows={items}
              keyOf={({ name }) => name}
              columns={[
                { title: 'File', cell: ({ name }) => <span className="font-mono">{name}</span> },
                { title: 'Size', isNumber: true, cell: ({ sizeBytes }) => formatBytes(sizeBytes) },
                {
                  title: 'Last record',
                  isMinor: true,
                  cell: ({ to }) => (to === null ? 'None' : <Time iso={to} isExact />),
                },
                {
                  title: 'Actions',
                  isTitleHidden: true,
                  cell: ({ name }) => (
                    <Button
                      size="small"
                      icon={Download}
                      aria-label={`Download ${name}`}
                      isBusy={download.isPending}
                      onClick={() => download.mutate([name])}
                    >
                      Download
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </QueryView>
    </Card>
  );
}
