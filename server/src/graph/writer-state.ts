import { DB } from '#store/databases.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import { NeighborList, StateAdjacency } from './adjacency.ts';
import { ByteWriter } from './bytes.ts';
import { readCount } from './counters.ts';
import { EdgeRecord } from './edge-record.ts';
import { FieldMerge } from './field-merge.ts';
import { IdCache } from './id-cache.ts';
import { KeyEncoder, META } from './keys.ts';
import { NodeRecord } from './node-record.ts';
import { SchemaSource } from './schema-source.ts';

const CACHED_IDS_MAX = 262_144;

/**
 * What the writer keeps from one commit to the next: the schema, ids of known nodes, and buffers.
 * All of it is derived from the state and compared with it at the beginning of each commit, because
 * a commit may fail while it is built, or be refused later (a full disk), and then never was.
 */
export class WriterState {
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
