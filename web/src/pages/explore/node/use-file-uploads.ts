import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client } from '../../../api/client.ts';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { filesKey } from './file-queries.ts';

/** A file on its way, or one that did not arrive. */
export interface FileOnItsWay {
  readonly key: number;
  readonly file: File;
  /** The share of the bytes that is sent, 0 to 1. */
  readonly fraction: number;
  /** The id of the upload, to resume it; undefined before the server knows it. */
  readonly id: string | undefined;
  readonly error: unknown;
}

export interface FileUploads {
  readonly files: readonly FileOnItsWay[];
  readonly add: (files: readonly File[]) => void;
  /** Goes on with one that failed. */
  readonly retry: (file: FileOnItsWay) => void;
  /** Stops it, or forgets one that failed; nothing is left of it. */
  readonly cancel: (file: FileOnItsWay) => void;
}

/** Uploads to one node, one after the other. They go on when the page is left. */
export function useFileUploads(uid: string): FileUploads {
  const [files, setFiles] = useState<readonly FileOnItsWay[]>([]);
  const nextKey = useRef(0);
  const last = useRef(Promise.resolve());
  const stops = useRef(new Map<number, AbortController>());
  const send = useSend(uid);

  const change = (key: number, part: Partial<FileOnItsWay>): void =>
    setFiles((all) => all.map((one) => (one.key === key ? { ...one, ...part } : one)));
  const remove = (key: number): void => setFiles((all) => all.filter((one) => one.key !== key));

  const start = (one: FileOnItsWay): void => {
    const stop = new AbortController();
    const { signal } = stop;
    stops.current.set(one.key, stop);
    const sendIt = async (): Promise<void> => {
      if (signal.aborted) return;
      try {
        await send(one, signal, (part) => change(one.key, part));
        remove(one.key);
      } catch (error) {
        if (!signal.aborted) change(one.key, { error });
      }
    };
    last.current = last.current.then(sendIt);
  };

  return {
    files,
    add: (added) => {
      const more = added.map((file) => {
        return { key: nextKey.current++, file, fraction: 0, id: undefined, error: undefined };
      });
      setFiles((all) => [...all, ...more]);
      more.forEach(start);
    },
    retry: (one) => {
      change(one.key, { error: undefined });
      start({ ...one, error: undefined });
    },
    cancel: ({ key, id, file }) => {
      stops.current.get(key)?.abort();
      remove(key);
      if (id !== undefined) void giveUp(id, file.name);
    },
  };
}

type Send = (
  one: FileOnItsWay,
  signal: AbortSignal,
  onProgress: (part: Partial<FileOnItsWay>) => void,
) => Promise<void>;

function useSend(uid: string): Send {
  const queries = useQueryClient();
  return async ({ file, id }, signal, onProgress) => {
    await client.files.uploadInPieces(uid, file.name, file, {
      id,
      signal,
      onProgress: ({ id: known, size, offset }) =>
        onProgress({ id: known, fraction: size === 0 ? 1 : offset / size }),
    });
    toastDone('The file is uploaded', file.name);
    await queries.invalidateQueries({ queryKey: filesKey(uid) });
  };
}

async function giveUp(id: string, name: string): Promise<void> {
  try {
    await client.files.deleteUpload(id);
  } catch (error) {
    toastError(`What was uploaded of ${name} is kept for a day`, error);
  }
}
