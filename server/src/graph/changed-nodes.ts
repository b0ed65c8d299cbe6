import { readPlaces } from '#store/batch.ts';
import { DB } from '#store/databases.ts';
import { readId } from './keys.ts';

/**
 * Calls with the id of every node that a commit wrote or deleted. `payload` is that of its record
 * in the log.
 */
export function visitChangedNodes(payload: Uint8Array, visit: (id: number) => void): void {
  readPlaces(payload, (db, keyStart) => {
    if (db === DB.nodes) visit(readId(payload, keyStart));
  });
}
