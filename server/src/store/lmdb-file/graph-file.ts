import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { decodeGraphApplied, type GraphApplied } from '../applied.ts';
import { u16 } from '../bytes.ts';
import { type DatabaseNumber, DATABASES } from '../databases.ts';
import { APPLIED_DATABASE } from '../environment.ts';
import { CopiedEntries, keyAfter, mergeEntries } from '../merged-entries.ts';
import { APPLIED_NUMBER, type ValueForm } from '../value-seal.ts';
import { type CheckedPlace, visitorOf } from './checked-visit.ts';
import { readNewestMeta } from './meta-pages.ts';
import {
  LMDB_FILE,
  type Meta,
  NODE_HEADER_BYTES,
  NODE_IS_TREE,
  readTree,
  type Tree,
} from './page-format.ts';
import { type EntryVisitor, TreePages, type TreePlace } from './tree-pages.ts';

/** The file of the graph, by the numbers of its databases. */
export interface GraphFile extends Disposable {
  readonly applied: GraphApplied;
  /**
   * Visits the entries from `start` on. Returns false when the database does not exist; then
   * nothing is visited.
   */
  visit(db: DatabaseNumber, start: Uint8Array, visitor: EntryVisitor): boolean;
  /** The number of entries; undefined when the database does not exist. */
  count(db: DatabaseNumber): number | undefined;
  /**
   * Where another thread can read the database; undefined when the database does not exist, or is
   * in two trees.
   */
  placeOf(db: DatabaseNumber): CheckedPlace | undefined;
}

/**
 * Opens the file of the environment in the folder `path`; undefined when the file cannot be read
 * without LMDB: see `TreeFile`. Checks of values are verified here too. Sealed values can only be
 * read through LMDB.
 */
export function openGraphFile(path: string, form: ValueForm): GraphFile | undefined {
  if (form === 'sealed') return undefined;
  const checkedAs = (db: number): number | undefined => (form === 'checked' ? db : undefined);
  const file = TreeFile.open(join(path, LMDB_FILE));
  if (file === undefined) return undefined;
  try {
    const trees = file.trees();
    const byNumber: (Tree | undefined)[] = [];
    const recentByNumber: (Tree | undefined)[] = [];
    for (const { number, name, recentName = '' } of DATABASES) {
      byNumber[number] = trees.get(name);
      const recent = trees.get(recentName);
      if (recent !== undefined && recent.entries > 0) recentByNumber[number] = recent;
    }
    return {
      applied: decodeGraphApplied(
        firstValue(file, trees.get(APPLIED_DATABASE), checkedAs(APPLIED_NUMBER)),
      ),
      visit: (db, start, visitor) => {
        const tree = byNumber[db];
        if (tree === undefined) return false;
        const plain = visitorOf(visitor, checkedAs(db));
        const recent = recentByNumber[db];
        if (recent === undefined) file.visit(tree, start, plain);
        else file.visitBoth(tree, recent, start, plain);
        return true;
      },
      count: (db) => {
        const entries = byNumber[db]?.entries;
        return entries === undefined ? undefined : entries + (recentByNumber[db]?.entries ?? 0);
      },
      placeOf: (db) => {
        const tree = byNumber[db];
        if (tree === undefined || recentByNumber[db] !== undefined) return undefined;
        return { ...file.placeOf(tree), checkedAs: checkedAs(db) };
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

/**
 * The trees of an LMDB file, read from the file itself, page by page. For reading all entries this
 * takes a third of the time of a cursor of lmdb-js, which calls native code for each entry.
 *
 * It shows the newest transaction at the time of opening. The pages stay unchanged only while a
 * read transaction is open that began before this file was opened. The caller must hold one as long
 * as it reads here.
 */
class TreeFile implements Disposable {
  readonly #path: string;
  readonly #meta: Meta;
  readonly #pages: TreePages;

  private constructor(path: string, meta: Meta) {
    this.#path = path;
    this.#meta = meta;
    this.#pages = new TreePages(path, meta.pageBytes);
  }

  /** Undefined when the file is encrypted or has an unknown layout. */
  static open(path: string): TreeFile | undefined {
    const meta = newestMeta(path);
    return meta === undefined ? undefined : new TreeFile(path, meta);
  }

  [Symbol.dispose](): void {
    this.#pages[Symbol.dispose]();
  }

  /** The named trees. */
  trees(): ReadonlyMap<string, Tree> {
    const found = new Map<string, Tree>();
    this.#pages.visitNodes(this.#meta.main, new Uint8Array(0), (page, node, keyEnd) => {
      if ((u16(page, node + 4) & NODE_IS_TREE) === 0) return true;
      // lmdb-js ends a name with a zero byte.
      const name = page.toString('latin1', node + NODE_HEADER_BYTES, keyEnd).replace(/\0$/, '');
      found.set(name, readTree(page, keyEnd));
      return true;
    });
    return found;
  }

  /** As `TreePages.visit`. */
  visit(tree: Tree, start: Uint8Array, visitor: EntryVisitor): void {
    this.#pages.visit(tree, start, visitor);
  }

  /** Visits the entries of two trees as those of one. */
  visitBoth(first: Tree, second: Tree, start: Uint8Array, visitor: EntryVisitor): void {
    // Pages of its own: those of the first tree are in use meanwhile.
    using pages = new TreePages(this.#path, this.#meta.pageBytes);
    mergeEntries(
      (each) => this.visit(first, start, each),
      new CopiedEntries((after, each) =>
        pages.visit(second, after === undefined ? start : keyAfter(after), each),
      ),
      false,
      visitor,
    );
  }

  placeOf(tree: Tree): TreePlace {
    return { path: this.#path, pageBytes: this.#meta.pageBytes, tree };
  }
}

function newestMeta(path: string): Meta | undefined {
  const file = openSync(path, 'r');
  try {
    return readNewestMeta(file);
  } finally {
    closeSync(file);
  }
}
