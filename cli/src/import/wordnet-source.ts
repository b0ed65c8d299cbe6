import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { wordnetOperations } from '../../../samples/wordnet/operations.ts';
import { wordnetSchema } from '../../../samples/wordnet/schema.ts';
import type { ImportItem, ImportSource } from './import-source.ts';

const GROUP_OPERATIONS = 1_000;

/** WordNet, from the folder with its dictionary files. */
export function wordnetSource(dictFolder: string): ImportSource {
  const operations = wordnetOperations(dictFolder);
  let done = 0;
  let isSchemaTaken = false;
  return {
    name: 'WordNet',
    identity: identityOf(dictFolder),
    async *items() {
      let group: ImportItem[] = [];
      for (const operation of operations) {
        group.push({ place: ++done, operation });
        if (group.length < GROUP_OPERATIONS) continue;
        yield group;
        group = [];
      }
      yield group;
    },
    progress: () => ({ done, total: operations.totals.operations }),
    takeSchema() {
      if (isSchemaTaken) return undefined;
      isSchemaTaken = true;
      return wordnetSchema;
    },
    locate: (place) => `WordNet, operation ${place}`,
  };
}

function identityOf(dictFolder: string): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(dictFolder).toSorted()) {
    const { size, mtimeMs } = statSync(join(dictFolder, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
