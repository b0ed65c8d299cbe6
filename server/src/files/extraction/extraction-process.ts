import { fork, type ChildProcess } from 'node:child_process';
import {
  FILE_TEXT_HEAP_MB_MAX,
  FILE_TEXT_MEMORY_BYTES_MAX,
  FILE_TEXT_TIMEOUT_MS,
} from '#base/limits.ts';
import { programFiles } from '#base/program-files.ts';
import type { ExtractedText } from './extract-text.ts';
import { OUT_OF_MEMORY, type ExtractionAnswer } from './extraction-messages.ts';
import type { TextKind } from './text-kind.ts';

export type Extraction =
  | ExtractedText
  /** What is wrong with the file. `isFinal`: it would be the same the next time. */
  | { readonly failure: string; readonly isFinal: boolean };

/**
 * It may read code, and nothing of a workspace; it may write nothing, and start nothing but its
 * thread.
 */
const FLAGS = [
  '--permission',
  '--allow-worker',
  ...programFiles().map((path) => `--allow-fs-read=${path}`),
  `--max-old-space-size=${FILE_TEXT_HEAP_MB_MAX}`,
  '--disable-warning=SecurityWarning',
  '--disable-warning=ExperimentalWarning',
];

/**
 * Takes text out of one file in a process of its own, as a file may be made to do harm: that
 * process has limits of time and memory, sees no environment and no file but its code, and ends in
 * any case. Rejects with the signal's reason.
 */
export async function extractInProcess(
  kind: TextKind,
  bytes: Uint8Array,
  signal: AbortSignal,
  timeoutMs: number = FILE_TEXT_TIMEOUT_MS,
): Promise<Extraction> {
  signal.throwIfAborted();
  const child = fork(new URL('./extraction-worker.ts', import.meta.url), [], {
    execArgv: FLAGS,
    env: {},
    cwd: '/',
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, timeoutMs);
  signal.addEventListener('abort', kill, { once: true });
  try {
    const answered = answerOf(child);
    // That it ended before it could read is seen by its end.
    child.send({ kind, bytes }, () => {});
    const { answer, status } = await answered;
    signal.throwIfAborted();
    if (answer !== undefined) return 'failure' in answer ? { ...answer, isFinal: true } : answer;
    if (isLate) return final(`it took longer than ${timeoutMs / 1_000} seconds`);
    if (status === OUT_OF_MEMORY) {
      return final(`it took more than ${FILE_TEXT_MEMORY_BYTES_MAX / 2 ** 20} MiB of memory`);
    }
    return { failure: 'its reader ended without a word', isFinal: false };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
    kill();
  }
}

interface Ended {
  readonly answer: ExtractionAnswer | undefined;
  readonly status: number | null;
}

function answerOf(child: ChildProcess): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  child.once('message', (answer: ExtractionAnswer) => resolve({ answer, status: 0 }));
  child.once('exit', (status) => resolve({ answer: undefined, status }));
  child.once('error', () => resolve({ answer: undefined, status: null }));
  return promise;
}

function final(failure: string): Extraction {
  return { failure, isFinal: true };
}
