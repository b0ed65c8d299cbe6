import { DB } from '#store/databases.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import { NeighborList, StateAdjacency } from './adjacency.ts';
import { ByteWriter } from './bytes.ts';
import { EdgeRecord } from './edge-record.ts';
import { FieldMerge } from './field-merge.ts';
import { KeyEncoder, META } from './keys.ts';
import { NodeRecord } from './node-record.ts';
import { SchemaSource } from './schema-source.ts';

const CACHED_IDS_MAX = 262_144;

/**
 * What the writer keeps from one commit to the next: the schema, ids of known nodes, and buffers.
 * All of it is derived from the state and compared with it at the beginning of each commit, because
 * a commit may fail while it is built, or be refused later (a full disk), and then never was.
 */
export class WriterMemory {
  readonly view: KeyValueReader;
  readonly schema: SchemaSource;
  /** Type numbers begin at 1; under 0 stand nodes by their printed UIDs. */
  readonly ids = new IdCache(CACHED_IDS_MAX);
  readonly adjacency: StateAdjacency;
  readonly keys = new KeyEncoder();
  readonly fields = new FieldMerge();
  readonly node = new NodeRecord();
  /** The node as it becomes, while its history is written; and what is written. */
  readonly changed = new NodeRecord();
  readonly entry = new ByteWriter();
  readonly edge = new EdgeRecord();
  readonly neighbors = new NeighborList();
  readonly bytes = new ByteWriter();
  /** The id of the next new node. */
  nextId = 1;

  constructor(view: KeyValueReader) {
    this.view = view;
    this.schema = new SchemaSource(view);
    this.adjacency = new StateAdjacency(view);
  }

  /**
   * Makes it agree with the state. Every commit that adds nodes raises the state's next id, so an
   * unexpected one means that a commit seen here failed or was refused: the nodes that it added are
   * not there.
   */
  revalidate(): void {
    const nextId = readCount(this.view.get(DB.meta, META.nextId)) || 1;
    const isChanged = this.schema.revalidate();
    if (isChanged || nextId !== this.nextId) this.ids.clear();
    this.nextId = nextId;
  }
}

/**
 * The ids of nodes that were written or referred to lately, by type and key: it spares the digest
 * of a key and a read of the state. It holds nodes that exist only; who deletes one removes it
 * here.
 *
 * Two generations bound it: when the young one is full it becomes the old one, and what is found
 * there comes back.
 */
class IdCache {
  readonly #generationMax: number;
  #young: (Map<string, number> | undefined)[] = [];
  #old: (Map<string, number> | undefined)[] = [];
  #youngSize = 0;

  constructor(entriesMax: number) {
    this.#generationMax = Math.max(1, Math.floor(entriesMax / 2));
  }

  /** 0 when it is not known. */
  get(type: number, key: string): number {
    const young = this.#young[type]?.get(key);
    if (young !== undefined) return young;
    const old = this.#old[type]?.get(key);
    if (old === undefined) return 0;
    this.set(type, key, old);
    return old;
  }

  set(type: number, key: string, id: number): void {
    if (this.#youngSize >= this.#generationMax) {
      this.#old = this.#young;
      this.#young = [];
      this.#youngSize = 0;
    }
    (this.#young[type] ??= new Map()).set(key, id);
    this.#youngSize++;
  }

  delete(type: number, key: string): void {
    this.#young[type]?.delete(key);
    this.#old[type]?.delete(key);
  }

  clear(): void {
    this.#young = [];
    this.#old = [];
    this.#youngSize = 0;
  }
}

/** Counters of `meta`: 48 bits, big-endian. */
const COUNTER_BYTES = 6;

export function encodeCount(count: number): Uint8Array {
  const bytes = Buffer.alloc(COUNTER_BYTES);
  bytes.writeUIntBE(count, 0, COUNTER_BYTES);
  return bytes;
}

/** 0 when there is none. */
export function readCount(bytes: Uint8Array | undefined): number {
  if (bytes === undefined) return 0;
  let count = 0;
  for (let i = 0; i < COUNTER_BYTES; i++) count = count * 256 + bytes[i]!;
  return count;
}
