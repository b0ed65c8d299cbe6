import { readId } from '#store/bytes.ts';
import { DB } from '#store/databases.ts';
import { EdgeRecord } from './edge-record.ts';
import { edgeOfKey, neighborOfKey } from './keys.ts';
import { isSystemName } from './names.ts';
import type { EdgeType, SchemaRegistry } from './schema-registry.ts';
import { formatTime } from './time.ts';

/** What a commit did to one edge: an edge whose fields it has changed is linked, too. */
export interface ChangedEdge {
  readonly event: 'linked' | 'unlinked';
  readonly type: string;
  /** Ids of its ends; a node that the commit deleted is among its changed nodes. */
  readonly from: number;
  readonly to: number;
  /** When it was made; undefined for one that was removed. */
  timestamp(): string | undefined;
  /** The fields after the commit. */
  fields(): Readonly<Record<string, unknown>>;
}

/** Of a value in a payload; below 0 where the key is deleted. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** What a payload says of one edge. */
interface Trail {
  readonly from: number;
  readonly edge: number;
  readonly to: number;
  existed: boolean;
  /** The last record; undefined once the edge is removed. */
  record: Place | undefined;
}

/** The edges that say who may see a node. */
const RESTRICTIONS = ['RestrictAccessToTeam', 'RestrictAccessToUser'] as const;
const KEY_BYTES = 12;

/** Gathers what the payload of one commit says of edges. */
export class EdgeTrails {
  /** Nodes of which the commit has written or removed a restriction. */
  readonly restricted = new Set<number>();
  readonly #payload: Uint8Array;
  readonly #registry: SchemaRegistry;
  readonly #restrictions: ReadonlySet<number>;
  readonly #trails = new Map<string, Trail>();
  /** An edge that was written just now, and of which nothing was known before. */
  #written: Trail | undefined;

  constructor(payload: Uint8Array, registry: SchemaRegistry) {
    this.#payload = payload;
    this.#registry = registry;
    const ids = RESTRICTIONS.map((name) => registry.edgeType(name)?.id);
    this.#restrictions = new Set(ids.filter((id) => id !== undefined));
  }

  /** The next operation on `out` or `in`, in the order of the payload. */
  take(db: typeof DB.out | typeof DB.in, keyStart: number, place: Place): void {
    const written = this.#written;
    this.#written = undefined;
    const isPut = place.start >= 0;
    if (db === DB.in) {
      // Only an edge that was not there before is written in this direction, too.
      if (isPut && written !== undefined) written.existed = false;
      return;
    }
    const payload = this.#payload;
    const from = readId(payload, keyStart);
    const edge = edgeOfKey(payload, keyStart);
    if (this.#restrictions.has(edge)) this.restricted.add(from);
    const record = isPut ? place : undefined;
    const key = payload.subarray(keyStart, keyStart + KEY_BYTES);
    const name = Buffer.from(key.buffer, key.byteOffset, KEY_BYTES).toString('latin1');
    const known = this.#trails.get(name);
    if (known !== undefined) {
      known.record = record;
      return;
    }
    const trail = { from, edge, to: neighborOfKey(payload, keyStart), existed: true, record };
    this.#trails.set(name, trail);
    if (isPut) this.#written = trail;
  }

  /** Without those of system types. */
  changes(): ChangedEdge[] {
    const changes: ChangedEdge[] = [];
    for (const trail of this.#trails.values()) {
      const type = this.#registry.edgeTypeById(trail.edge);
      if (isSystemName(type.name)) continue;
      const changed = this.#change(trail, type);
      if (changed !== undefined) changes.push(changed);
    }
    return changes;
  }

  /** Undefined for an edge that came and went within the commit. */
  #change({ from, to, existed, record: place }: Trail, type: EdgeType): ChangedEdge | undefined {
    if (place === undefined && !existed) return undefined;
    const open = (): EdgeRecord | undefined => {
      if (place === undefined) return undefined;
      const record = new EdgeRecord();
      record.open(this.#payload.subarray(place.start, place.end));
      return record;
    };
    return {
      event: place === undefined ? 'unlinked' : 'linked',
      type: type.name,
      from,
      to,
      timestamp: () => {
        const record = open();
        return record && formatTime(record.timestampMs);
      },
      fields: () => {
        const fields: Record<string, unknown> = {};
        open()?.assignFields(type, fields);
        return fields;
      },
    };
  }
}
