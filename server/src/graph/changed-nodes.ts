import { readPlaces } from '#store/batch.ts';
import { DB } from '#store/databases.ts';
import { readId } from './keys.ts';

/**
 * Calls `visit` with the id of each node that a commit wrote or deleted. `payload` is the payload
 * of the commit's record in the log.
 */
export function visitChangedNodes(payload: Uint8Array, visit: (id: number) => void): void {
  readPlaces(payload, (db, keyStart) => {
    if (db === DB.nodes) visit(readId(payload, keyStart));
  });
}
