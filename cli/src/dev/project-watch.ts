import { watch } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Editors write a file in several steps, and format others with it. */
const QUIET_MS = 50;

/**
 * Yields once at the beginning, and again whenever something has changed in the folder's schema or
 * endpoints; changes that come while the last ones are worked on are one. Ends when the signal
 * aborts.
 */
export async function* projectChanges(
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<void, void, undefined> {
  let changed = Promise.withResolvers<void>();
  const changes = [
    follow(folder, (file) => file === 'schema.json'),
    follow(join(folder, 'endpoints'), isEndpointFile),
  ];
  const ended = Promise.race(changes);

  async function follow(path: string, isOurs: (file: string) => boolean): Promise<void> {
    try {
      const recursive = path !== folder;
      for await (const { filename } of watch(path, { recursive, signal })) {
        if (filename === null || isOurs(filename)) changed.resolve();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  while (!signal.aborted) {
    yield;
    await Promise.race([changed.promise, ended]);
    if (signal.aborted) return;
    await pause(QUIET_MS);
    changed = Promise.withResolvers();
  }
}

function isEndpointFile(file: string): boolean {
  return file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.endsWith('.test.ts');
}
