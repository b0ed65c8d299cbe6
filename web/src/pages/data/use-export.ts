import { RowCounter } from '@trellis/client/download-rows.ts';
import type { NodeSelection } from '@trellis/contract/shapes/node.ts';
import { DOWNLOAD_UIDS_MAX } from '@trellis/contract/limits.ts';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { saveDownload } from '../../ui/save-download.ts';
import { toastDone, toastError } from '../../ui/toast.ts';

export type ExportFormat = 'csv' | 'jsonl';

interface ExportOf {
  readonly selection: () => Promise<NodeSelection>;
  readonly fields: readonly string[];
  /** Of the file, without its ending. */
  readonly name: string;
}

/** Saves rows as a file, says how many have arrived, and can be stopped. */
export function useExport({ selection, fields, name }: ExportOf) {
  const stopping = useRef<AbortController>(undefined);
  const arrived = useRef<string>(undefined);
  const [progress, setProgress] = useState<string>();
  const download = useMutation({
    mutationFn: async (format: ExportFormat) => {
      const controller = new AbortController();
      stopping.current = controller;
      arrived.current = undefined;
      const { signal } = controller;
      const selected = await selection();
      const options = { baseURL: location.href.replace(/#.*$/, '') };
      const file = await (format === 'csv' ? client.nodes.downloadCsv : client.nodes.downloadJsonl)(
        { ...selected, fields },
        options,
        { signal },
      );
      const rows = new RowCounter(format);
      await saveDownload(file, `${name}.${format}`, (part) => {
        rows.add(part);
        arrived.current = receivedText(rows);
        setProgress(arrived.current);
      });
      return selected;
    },
    onSuccess: ({ uids: some }) => {
      if (some?.length !== DOWNLOAD_UIDS_MAX) return;
      const max = formatCount(DOWNLOAD_UIDS_MAX);
      toastDone(`The first ${max} rows are exported`, 'Filter for the others.');
    },
    onError: (error) => {
      if (stopping.current?.signal.aborted === true) {
        toastDone('The export was stopped', 'No file was saved.');
        return;
      }
      const after = arrived.current === undefined ? '' : `: it broke off after ${arrived.current}`;
      toastError(`The rows were not exported${after}`, error);
    },
    onSettled: () => setProgress(undefined),
  });
  return {
    start: (format: ExportFormat) => download.mutate(format),
    stop: () => stopping.current?.abort(),
    isRunning: download.isPending,
    progress,
  };
}

function receivedText({ count = 0, bytes }: RowCounter): string {
  return `${count === 1 ? 'one row' : `${formatCount(count)} rows`}, ${formatBytes(bytes)}`;
}
