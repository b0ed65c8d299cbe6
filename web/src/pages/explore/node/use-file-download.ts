import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { saveDownload } from '../../../ui/save-download.ts';
import { toastError } from '../../../ui/toast.ts';

interface DownloadedFile {
  readonly UID: string;
  readonly Name: string;
}

/** Downloads one file at a time. */
export function useFileDownload() {
  const [bytes, setBytes] = useState(0);
  const { mutate, isPending, variables } = useMutation({
    mutationFn: async ({ UID, Name }: DownloadedFile) => {
      setBytes(0);
      const download = await client.files.download(UID);
      await saveDownload(download, Name, (part) => setBytes((before) => before + part.length));
    },
    onError: (error) => toastError('The file could not be downloaded', error),
  });
  return {
    start: mutate,
    /** The file that is on its way, and how much of it has arrived. */
    current: isPending && variables !== undefined ? { uid: variables.UID, bytes } : undefined,
  };
}
