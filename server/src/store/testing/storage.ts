import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TestClock, KEEP_ALL } from '#log/testing/log-engine.ts';
import { createMemoryLog, createMemoryMedium } from '#log/memory-log.ts';
import type { MemoryLogOptions } from '#log/memory-log.ts';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { openSnapshotReader } from '../snapshot-reader.ts';
import type { HoldingReader } from '../snapshot-reader.ts';
import { openState } from '../state-writer.ts';
import type { Publication, State } from '../commit-pipeline.ts';

export const MASTER_KEY = 'correct horse battery';

/** A storage folder with a log in memory, whose state may be opened, closed and opened again. */
export interface TestStorage extends AsyncDisposable {
  readonly path: string;
  /** Opens the state. Dispose of it before you open it again. */
  openState(options?: Partial<MemoryLogOptions>, applied?: Publication): Promise<State>;
  openReader(environments: readonly ('graph' | 'vault')[]): HoldingReader;
}

export async function createStorage(masterKey?: string): Promise<TestStorage> {
  const folder = await temporaryFolder();
  const medium = createMemoryMedium();
  const storage = folder.path;
  return {
    path: storage,
    openState: (options, applied) => {
      const log = createMemoryLog({
        clock: new TestClock(),
        archive: KEEP_ALL,
        medium,
        ...options,
      });
      return openState({ storage, log, masterKey, clock: new TestClock(), applied });
    },
    openReader: (environments) => openSnapshotReader({ storage, masterKey, environments }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** All files under a folder, by their paths in it, to compare whether anything was changed. */
export function filesIn(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  return new Map(names.map((name) => [name, readFileSync(name)]));
}
