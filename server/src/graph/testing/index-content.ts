import { readId } from '#store/bytes.ts';
import { KEY_BYTES_MAX } from '#store/batch.ts';
import { DB, type DatabaseNumber } from '#store/databases.ts';
import { EntryMaker } from '../indexes/index-entries.ts';
import type { TestGraph } from './test-graph.ts';

/**
 * What the indexes of a graph hold, and what they should hold according to its nodes; both as
 * sorted lines.
 */
export function indexContent({ reader, snapshot }: TestGraph): {
  readonly held: readonly string[];
  readonly due: readonly string[];
} {
  reader.refresh();
  const held: string[] = [];
  const visit = (db: DatabaseNumber): void =>
    snapshot.scan(db, EVERYTHING, (key, value) => {
      held.push(line(db, key, db === DB.uniques ? readId(value, 0) : 0));
    });
  visit(DB.indexes);
  visit(DB.uniques);
  const due: string[] = [];
  const maker = new EntryMaker();
  const secret = reader.indexSecret;
  for (const { name, indexes } of reader.registry.nodeTypes) {
    for (const index of indexes) {
      for (const id of reader.idsOfType(name)) {
        const record = reader.record(id);
        if (record === undefined) throw new Error(`no record of node ${id}`);
        const { keys, uniqueKeys } = maker.entriesOf(index, { id, record }, secret);
        due.push(...keys.map((key) => line(DB.indexes, key, 0)));
        due.push(...uniqueKeys.map((key) => line(DB.uniques, key, id)));
      }
    }
  }
  return { held: held.toSorted(), due: due.toSorted() };
}

const EVERYTHING = { start: new Uint8Array(1), end: new Uint8Array(KEY_BYTES_MAX).fill(0xff) };

function line(db: DatabaseNumber, key: Uint8Array, id: number): string {
  return `${db} ${Buffer.from(key).toString('hex')} ${id}`;
}

/** Builds every index that is not ready, and clears those that were removed. */
export async function finishIndexes({ writer, reader }: TestGraph): Promise<void> {
  reader.refresh();
  for (const { number, isReady } of reader.indexes()) {
    for (let isDone = isReady; !isDone;) {
      const built = await writer.commit({
        operations: [],
        system: true,
        indexWork: { build: number },
      });
      isDone = built.indexes?.isDone !== false;
    }
  }
  for (const clear of reader.indexesBeingRemoved()) {
    for (;;) {
      const cleared = await writer.commit({ operations: [], system: true, indexWork: { clear } });
      if (cleared.indexes?.isDone !== false) break;
    }
  }
  reader.refresh();
}
