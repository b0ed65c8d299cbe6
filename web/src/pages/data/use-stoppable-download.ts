import type { Download } from '@trellis/client/operation-methods.ts';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { saveDownload } from '../../ui/save-download.ts';
import { toastDone, toastError } from '../../ui/toast.ts';

/** A file that is on its way. */
export interface ArrivingFile {
  readonly file: Download;
  readonly name: string;
  /** Takes a part that has arrived, and says how much there is by now. */
  readonly arrived: (part: Uint8Array) => string;
  readonly onSaved?: (() => void) | undefined;
}

interface StoppableDownload<T> {
  readonly begin: (asked: T, signal: AbortSignal) => Promise<ArrivingFile>;
  /** "The rows were not exported". */
  readonly failure: string;
}

/** Saves what is asked for as a file, says how much has arrived, and can be stopped. */
export function useStoppableDownload<T>({ begin, failure }: StoppableDownload<T>) {
  const stopping = useRef<AbortController>(undefined);
  const reached = useRef<string>(undefined);
  const [progress, setProgress] = useState<string>();
  const download = useMutation({
    mutationFn: async (asked: T) => {
      const controller = new AbortController();
      stopping.current = controller;
      reached.current = undefined;
      const { file, name, arrived, onSaved } = await begin(asked, controller.signal);
      await saveDownload(file, name, (part) => {
        reached.current = arrived(part);
        setProgress(reached.current);
      });
      onSaved?.();
    },
    onError: (error) => {
      if (stopping.current?.signal.aborted === true) {
        toastDone('The export was stopped', 'No file was saved.');
        return;
      }
      const after = reached.current === undefined ? '' : `: it broke off after ${reached.current}`;
      toastError(`${failure}${after}`, error);
    },
    onSettled: () => setProgress(undefined),
  });
  return {
    start: (asked: T) => download.mutate(asked),
    stop: () => stopping.current?.abort(),
    isRunning: download.isPending,
    progress,
  };
}
