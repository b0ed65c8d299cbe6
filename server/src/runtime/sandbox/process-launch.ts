import { existsSync } from 'node:fs';
import process from 'node:process';
import { ENDPOINT_HEAP_HARD_MB } from '#base/limits.ts';
import { ENDPOINT_PROCESS_DATA_KB_MAX } from '#base/sandbox-limits.ts';
import { workerFlags } from './isolation.ts';

/** What a process is started with. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
}

const SHELL = '/bin/sh';

/**
 * The operating system bounds the memory of the process, whatever fills it: `RLIMIT_DATA` counts what is private and can be
 * written, so neither V8's reserved address space nor the map of LMDB. A limit that is lower already stays. No core is dumped.
 */
const LIMITED = `ulimit -c 0; ulimit -d ${ENDPOINT_PROCESS_DATA_KB_MAX} 2>/dev/null; exec "$0" "$@"`;

/** How to run a file of the program as a process that holds endpoint workers. */
export function launchOf(file: string, storage: string): Launch {
  const args = [
    ...workerFlags(storage),
    '--allow-worker',
    `--max-old-space-size=${ENDPOINT_HEAP_HARD_MB}`,
    // As the server's own process: see `app/garbage-collection.ts`.
    '--no-allocation-site-pretenuring',
    file,
  ];
  const { execPath } = process;
  // Only Linux counts what is needed here.
  if (process.platform !== 'linux' || !existsSync(SHELL)) return { file: execPath, args };
  return { file: SHELL, args: ['-c', LIMITED, execPath, ...args] };
}

/** The whole environment of such a process: nothing in it is secret. */
export function environmentOf(): NodeJS.ProcessEnv {
  // Dates in the code of endpoints are those of the server.
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return { UV_THREADPOOL_SIZE: '1', TZ: timeZone };
}
