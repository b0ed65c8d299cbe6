import { join } from 'node:path';
import { decodeGraphApplied, type GraphApplied } from '../applied.ts';
import { DATABASES, type DatabaseNumber } from '../databases.ts';
import { APPLIED_DATABASE, LMDB_FILE } from '../environment.ts';
import { APPLIED_NUMBER, type ValueForm } from '../value-seal.ts';
import { visitorOf, type CheckedPlace } from './checked-visit.ts';
import type { Tree } from './page-format.ts';
import { TreeFile } from './tree-file.ts';
import type { EntryVisitor } from './tree-pages.ts';

/** The file of the graph, by the numbers of its databases. */
export interface GraphFile extends Disposable {
  readonly applied: GraphApplied;
  /** Whether the database is there; else nothing is visited. */
  visit(db: DatabaseNumber, start: Uint8Array, visitor: EntryVisitor): boolean;
  /** Undefined when the database is not there. */
  count(db: DatabaseNumber): number | undefined;
  /** For another thread; undefined when the database is not there. */
  placeOf(db: DatabaseNumber): CheckedPlace | undefined;
}

/**
 * Opens the file of the environment in the folder `path`; undefined when it cannot be read as it
 * lies there: see `TreeFile`. What is checked is so here too; what is sealed is opened where LMDB
 * is read.
 */
export function openGraphFile(path: string, form: ValueForm): GraphFile | undefined {
  if (form === 'sealed') return undefined;
  const checkedAs = (db: number): number | undefined => (form === 'checked' ? db : undefined);
  const file = TreeFile.open(join(path, LMDB_FILE));
  if (file === undefined) return undefined;
  try {
    const trees = file.trees();
    const byNumber: (Tree | undefined)[] = [];
    for (const { number, name } of DATABASES) byNumber[number] = trees.get(name);
    return {
      applied: decodeGraphApplied(
        firstValue(file, trees.get(APPLIED_DATABASE), checkedAs(APPLIED_NUMBER)),
      ),
      visit: (db, start, visitor) => {
        const tree = byNumber[db];
        if (tree !== undefined) file.visit(tree, start, visitorOf(visitor, checkedAs(db)));
        return tree !== undefined;
      },
      count: (db) => byNumber[db]?.entries,
      placeOf: (db) => {
        const tree = byNumber[db];
        return tree === undefined ? undefined : { ...file.placeOf(tree), checkedAs: checkedAs(db) };
      },
      [Symbol.dispose]: () => file[Symbol.dispose](),
    };
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}

function firstValue(
  file: TreeFile,
  tree: Tree | undefined,
  checkedAs: number | undefined,
): Uint8Array | undefined {
  let found: Uint8Array | undefined;
  if (tree === undefined) return undefined;
  const visitor: EntryVisitor = (_key, _start, _end, value, start, end) => {
    found = Uint8Array.from(value.subarray(start, end));
    return false;
  };
  file.visit(tree, new Uint8Array(0), visitorOf(visitor, checkedAs));
  return found;
}
