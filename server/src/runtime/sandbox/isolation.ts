import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '#base/assert.ts';
import { programFiles } from '#base/program-files.ts';

/**
 * Refuses to go on in a process that would give secrets away: a worker under the permission model
 * may read everything below the working directory, and what is in the environment shows in reports
 * of any thread (decision 0004). Which of our variables are secret this part does not know, and the
 * name of a secret may be misspelt: none may be left. `app` sees to both at the start.
 */
export function assertProcessIsIsolated(): void {
  assert(readdirSync(process.cwd()).length === 0, 'the working directory of the process is empty');
  for (const name of Object.keys(process.env)) {
    assert(!name.startsWith('MSK_'), `${name} is no longer in the environment`);
  }
}

/**
 * The flags of an endpoint worker and of its process: it may read the program and the graph, load
 * LMDB, and nothing else.
 */
export function workerFlags(storage: string): string[] {
  // It may not be there yet, so that it would not be known for a folder without the asterisk.
  const readable = [...programFiles(), join(storage, 'graph', '*')];
  return [
    '--permission',
    '--allow-addons',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    '--no-warnings',
  ];
}
