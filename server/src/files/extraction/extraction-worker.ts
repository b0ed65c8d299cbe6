import { Worker } from 'node:worker_threads';
import {
  FILE_TEXT_HEAP_MB_MAX,
  FILE_TEXT_MEMORY_BYTES_MAX,
  FILE_TEXT_MEMORY_CHECK_MS,
  FILE_TEXT_TIMEOUT_MS,
} from '#base/limits.ts';
import { OUT_OF_MEMORY, type ExtractionRequest } from './extraction-messages.ts';

/**
 * The process that takes text out of one file. The file is read in a thread, so that this one sees
 * it when the thread takes too much memory or time, or when the server is gone that wants the text:
 * whatever the file does, the process ends.
 */
process.once('disconnect', () => process.exit());
setTimeout(() => process.exit(), FILE_TEXT_TIMEOUT_MS).unref();
setInterval(() => {
  if (process.memoryUsage.rss() > FILE_TEXT_MEMORY_BYTES_MAX) process.exit(OUT_OF_MEMORY);
}, FILE_TEXT_MEMORY_CHECK_MS).unref();

process.once('message', (request: ExtractionRequest) => {
  const thread = new Worker(new URL('./text-worker.ts', import.meta.url), {
    workerData: request,
    resourceLimits: { maxOldGenerationSizeMb: FILE_TEXT_HEAP_MB_MAX },
    // What libraries have to say of a file is of no use to anybody.
    stdout: true,
    stderr: true,
  });
  thread.once('message', (answer) => process.send?.(answer, () => process.exit()));
  thread.once('error', (error) => {
    const isFull = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    process.exit(isFull ? OUT_OF_MEMORY : 1);
  });
});
