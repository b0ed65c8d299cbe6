import { wordnetOperations, type WordnetOperation } from '../samples/wordnet/operations.ts';
import { installedDictFolder } from '../samples/wordnet/dictionary.ts';
import type { EdgeRow, GraphTables, NodeRow } from './tables.ts';

/** WordNet, read once: as operations for the server, as rows for the peers. */
export interface Wordnet {
  readonly operations: readonly WordnetOperation[];
  readonly tables: GraphTables;
}

export function readWordnet(): Wordnet {
  const operations = [...wordnetOperations(installedDictFolder())];
  const nodes: NodeRow[] = [];
  const edges: EdgeRow[] = [];
  const ids = new Map<string, number>();
  const idOf = (reference: { type: string; key: string }): number => {
    const id = ids.get(`${reference.type}\0${reference.key}`);
    if (id === undefined) throw new Error(`no node ${reference.type} ${reference.key}`);
    return id;
  };
  for (const operation of operations) {
    if (operation.op === 'addOrUpdate') {
      const { type, key, fields } = operation;
      const id = nodes.length + 1;
      ids.set(`${type}\0${key}`, id);
      nodes.push({ id, type, key, fields });
    } else {
      edges.push({
        source: idOf(operation.from),
        type: operation.edge,
        target: idOf(operation.to),
        fields: operation.fields ?? null,
      });
    }
  }
  return { operations, tables: { nodes, edges } };
}
