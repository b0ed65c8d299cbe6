/**
 * How a file of LMDB is laid out, data version 2: `MDB_page`, `MDB_node`, `MDB_db`, `MDB_meta` and
 * `MDB_ovpage` of liblmdb's mdb.c as lmdb-js builds it. Only little-endian 64-bit machines write
 * this layout. For files of other machines, of later versions, and for encrypted files, `readMeta`
 * returns undefined.
 *
 * A page has a header, then the places of its nodes (u16 each, counted from the end of the header),
 * then free space, then the nodes. A branch page has at least two nodes, and the first has no key.
 * A value that is too long for a page has separate pages with one header.
 */
export const PAGE_HEADER_BYTES = 24;
/**
 * In the header: u64 number of the page, u64 transaction, u16, u16 flags, u16 end of the places,
 * u16 begin of the nodes.
 */
export const PAGE_FLAGS_AT = 18;
export const PAGE_LOWER_AT = 20;
export const PAGE_IS_BRANCH = 1;
export const PAGE_IS_LEAF = 2;
export const PAGE_IS_LONG_VALUE = 4;
export const PAGE_IS_META = 8;

/**
 * u16 low and u16 high of the value's length, u16 flags, u16 length of the key, key, value. In a
 * branch: three u16 of the page's number.
 */
export const NODE_HEADER_BYTES = 8;
/**
 * The flag of a node that has, in place of a long value: u64 first page, u64 transaction, u64
 * number of pages.
 */
export const NODE_HAS_LONG_VALUE = 1;
export const NODE_IS_TREE = 2;

/** The name of LMDB's file in the folder of an environment. */
export const LMDB_FILE = 'data.mdb';

/** The root page of an empty tree: all bits are set. */
export const NO_PAGE = -1;
/** The first two pages say where the trees begin. The one with the newer transaction counts. */
export const META_PAGES = 2;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
const IS_ENCRYPTED = 0x2000;
const META_AT = PAGE_HEADER_BYTES;
/** What comes before is the same in all meta pages of a file. */
export const META_VARYING_AT = META_AT + 16;
const FREE_TREE_AT = META_AT + 24;
/** u16, where the flags of the environment are. */
export const FREE_TREE_FLAGS_AT = FREE_TREE_AT + 4;
const MAIN_TREE_AT = FREE_TREE_AT + 48;
const LAST_PAGE_AT = MAIN_TREE_AT + 48;
/** u64. */
export const META_TRANSACTION_AT = LAST_PAGE_AT + 8;
/** i64: the boot of the machine in which the page was written. */
export const META_BOOT_AT = META_TRANSACTION_AT + 8;
export const META_BYTES = META_BOOT_AT + 8;

/** A tree of the file, as the tree above it describes it. */
export interface Tree {
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly longValuePages: number;
  readonly entries: number;
  /** The number of the root page; `NO_PAGE` when the tree is empty. */
  readonly root: number;
}

export interface Meta {
  readonly pageBytes: number;
  readonly transaction: number;
  /** The tree that lists the named trees. */
  readonly main: Tree;
}

/** Reads the first `META_BYTES` of a page; undefined when they are of another format. */
export function readMeta(page: Buffer): Meta | undefined {
  const isKnown =
    (page.readUInt16LE(PAGE_FLAGS_AT) & PAGE_IS_META) !== 0 &&
    page.readUInt32LE(META_AT) === MAGIC &&
    page.readUInt32LE(META_AT + 4) === VERSION &&
    (page.readUInt16LE(FREE_TREE_FLAGS_AT) & IS_ENCRYPTED) === 0;
  if (!isKnown) return undefined;
  return {
    pageBytes: page.readUInt32LE(FREE_TREE_AT),
    transaction: Number(page.readBigUInt64LE(META_TRANSACTION_AT)),
    main: readTree(page, MAIN_TREE_AT),
  };
}

/**
 * u32, u16 flags, u16 depth, u64 branch pages, u64 leaf pages, u64 pages of long values, u64
 * entries, u64 root.
 */
export function readTree(bytes: Buffer, at: number): Tree {
  const u64 = (offset: number): number => Number(bytes.readBigUInt64LE(at + offset));
  return {
    depth: bytes.readUInt16LE(at + 6),
    branchPages: u64(8),
    leafPages: u64(16),
    longValuePages: u64(24),
    entries: u64(32),
    root: Number(bytes.readBigInt64LE(at + 40)),
  };
}
