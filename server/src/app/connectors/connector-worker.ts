import { Worker } from 'node:worker_threads';
import {
  CONNECTOR_HEAP_MB_MAX,
  CONNECTOR_MEMORY_BYTES_MAX,
  CONNECTOR_MEMORY_CHECK_MS,
} from '#base/connector-limits.ts';
import { OUT_OF_MEMORY } from './source-calls.ts';

/**
 * The process in which a source is read. The source is read in a thread, so that this one sees it
 * when the thread takes too much memory, or when the server is gone: whatever the source does, the
 * process ends. What the two say to each other goes through here as it is.
 */
process.once('disconnect', () => process.exit());
setInterval(() => {
  if (process.memoryUsage.rss() > CONNECTOR_MEMORY_BYTES_MAX) process.exit(OUT_OF_MEMORY);
}, CONNECTOR_MEMORY_CHECK_MS).unref();

const thread = new Worker(new URL('./source-worker.ts', import.meta.url), {
  resourceLimits: { maxOldGenerationSizeMb: CONNECTOR_HEAP_MB_MAX },
  // What libraries have to say of a source is of no use to anybody.
  stdout: true,
  stderr: true,
});
process.on('message', (message) => thread.postMessage(message));
thread.on('message', (message) => process.send?.(message));
thread.once('error', (error) => {
  const isFull = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  process.exit(isFull ? OUT_OF_MEMORY : 1);
});
thread.once('exit', () => process.exit(1));
