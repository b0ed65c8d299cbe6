import { join } from 'node:path';
import { DATABASES } from '../databases.ts';
import { openEnvironments, fileBytesOf } from '../environment.ts';
import { settleStopped } from '../steady/settle-environment.ts';
import { readStoreKeys } from '../master-key.ts';

export interface DatabaseSize {
  readonly name: string;
  readonly environment: 'graph' | 'vault';
  readonly entries: number;
  /** The size of the pages that hold the database. */
  readonly bytes: number;
}

export interface EnvironmentSize {
  readonly name: 'graph' | 'vault';
  /** The size of the file of the environment. */
  readonly fileBytes: number;
  /** About how many bytes of the file a compaction would free. */
  readonly freeBytes: number;
}

export interface StoreSizes {
  readonly databases: readonly DatabaseSize[];
  readonly environments: readonly EnvironmentSize[];
}

interface StoreAccess {
  readonly storage: string;
  readonly masterKey: string | undefined;
}

const ENVIRONMENTS = ['graph', 'vault'] as const;

/** The sizes of the databases of a stopped store, as LMDB counts them. */
export function readSizes({ storage, masterKey }: StoreAccess): StoreSizes {
  const keys = readStoreKeys({ storage, masterKey });
  const isPaged = keys.values === 'plain' && keys.environmentKey !== undefined;
  // The vault comes first, as at a steady point.
  for (const name of isPaged ? [] : ENVIRONMENTS.toReversed()) settleStopped(join(storage, name));
  const { graph, vault } = openEnvironments({ storage, readOnly: true, ...keys });
  try {
    const environments = { graph, vault };
    const databases = DATABASES.map(({ number, name, environment }) => {
      const size = environments[environment].stores[number]?.size();
      return { name, environment, entries: size?.entries ?? 0, bytes: size?.bytes ?? 0 };
    });
    return {
      databases,
      environments: ENVIRONMENTS.map((name) => {
        const used = databases
          .filter((one) => one.environment === name)
          .reduce((sum, { bytes }) => sum + bytes, 0);
        const fileBytes = fileBytesOf(environments[name]);
        return { name, fileBytes, freeBytes: Math.max(0, fileBytes - used) };
      }),
    };
  } finally {
    void graph.root.close();
    void vault.root.close();
  }
}

/** Counts the entries of all databases. */
export function entriesOf(access: StoreAccess): number {
  return readSizes(access).databases.reduce((sum, { entries }) => sum + entries, 0);
}
