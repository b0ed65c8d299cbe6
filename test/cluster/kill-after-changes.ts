import { mkdirSync, watch } from 'node:fs';
import type { ServerProcess } from './server-process.ts';

/** Launches a process, and kills it when so many changes were seen in a folder, or when it is ready or has ended by itself. */
export async function killAfterChanges(
  folder: string,
  changes: number,
  launch: () => ServerProcess,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const reached = Promise.withResolvers<void>();
  let count = 0;
  const watcher = watch(folder, { recursive: true }, () => {
    if (++count === changes) reached.resolve();
  });
  const launched = launch();
  await Promise.race([reached.promise, launched.ready.catch(() => undefined)]);
  watcher.close();
  await launched.kill();
}
