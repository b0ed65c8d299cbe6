import { readId } from '#store/bytes.ts';
import { readPlaces } from '#store/batch.ts';
import { DB } from '#store/databases.ts';

/**
 * Calls `node` with the id of each node that a commit wrote or deleted, and `end` with each one of
 * which it wrote or deleted an edge. `payload` is the payload of the commit's record in the log.
 */
export function visitChanges(
  payload: Uint8Array,
  { node, end }: { readonly node: (id: number) => void; readonly end: (id: number) => void },
): void {
  readPlaces(payload, (db, keyStart) => {
    if (db === DB.nodes) node(readId(payload, keyStart));
    else if (db === DB.out || db === DB.in) end(readId(payload, keyStart));
  });
}
