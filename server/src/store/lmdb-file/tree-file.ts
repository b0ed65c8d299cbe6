import { closeSync, openSync, readSync } from 'node:fs';
import { u16 } from '../bytes.ts';
import {
  META_BYTES,
  META_PAGES,
  NODE_HEADER_BYTES,
  NODE_IS_TREE,
  readMeta,
  readTree,
  type Meta,
  type Tree,
} from './page-format.ts';
import { TreePages, type EntryVisitor, type TreePlace } from './tree-pages.ts';

/**
 * The trees of an LMDB file, read from the file itself, page by page, for whoever reads all of
 * them: that takes a third of the time of a cursor of lmdb-js, which crosses into native code for
 * each entry.
 *
 * It shows what the newest transaction was when it was opened. Its pages stay as they are only
 * while a read transaction of the file is open that was begun before this was: the caller holds
 * one, for as long as it reads here.
 */
export class TreeFile implements Disposable {
  readonly #path: string;
  readonly #meta: Meta;
  readonly #pages: TreePages;

  private constructor(path: string, meta: Meta) {
    this.#path = path;
    this.#meta = meta;
    this.#pages = new TreePages(path, meta.pageBytes);
  }

  /** Undefined when it is encrypted, or not laid out as is known here. */
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
      // lmdb-js ends a name with a zero.
      const name = page.toString('latin1', node + NODE_HEADER_BYTES, keyEnd).replace(/\0$/, '');
      found.set(name, readTree(page, keyEnd));
      return true;
    });
    return found;
  }

  /** As of the pages. */
  visit(tree: Tree, start: Uint8Array, visitor: EntryVisitor): void {
    this.#pages.visit(tree, start, visitor);
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

/**
 * Read twice: the writer may be writing one of the two meanwhile, which it then does not do to the
 * other.
 */
function readNewestMeta(file: number): Meta | undefined {
  const page = Buffer.alloc(META_BYTES);
  const read = (at: number): Buffer => {
    readSync(file, page, 0, META_BYTES, at);
    return Buffer.from(page);
  };
  const first = readMeta(read(0));
  if (first === undefined) return undefined;
  for (;;) {
    const pages = Array.from({ length: META_PAGES }, (_, i) => read(i * first.pageBytes));
    if (pages.some((bytes, i) => !bytes.equals(read(i * first.pageBytes)))) continue;
    const [one, other] = pages.map(readMeta);
    if (one === undefined || other === undefined) return undefined;
    return one.transaction > other.transaction ? one : other;
  }
}
