import { must } from '#base/assert.ts';
import { ACCESS_JOURNAL_ENTRIES_MAX } from '#base/limits.ts';
import { readId, readSequence } from '#store/bytes.ts';
import { DB } from '#store/databases.ts';
import type { KeyRange, KeyValueReader, WriteBatch } from '#store/key-value.ts';
import { ACCESS_EDGES } from './access-edges.ts';
import { ID_BYTES, META, writeId } from './keys.ts';
import type { AccessChange } from './reader.ts';

/**
 * The journal of the edges that decide about access. A reader that keeps answers about access in
 * memory reads the journal to bring them up to date.
 *
 *   key     sequence(6) of the operation that puts the entry: within its commit, so after every
 *           earlier commit and not after its own
 *   value   edge(1) from(5) to(5), the edge by its place in `ACCESS_EDGES`
 *
 * An entry says that the edge was written or removed, not which of the two. Only the newest entries
 * are kept; `META.accessJournal` holds how many there are, and the sequence of the newest one that
 * was trimmed.
 */
const SEQUENCE_BYTES = 6;
const FROM_AT = 1;
const TO_AT = FROM_AT + ID_BYTES;
const VALUE_BYTES = TO_AT + ID_BYTES;
/**
 * The share of the journal that is trimmed at once, so that most commits need not look for the
 * oldest entries.
 */
const TRIMMED_SHARE = 0.01;

/** Writes the journal for one commit. */
export class AccessJournal {
  readonly #view: KeyValueReader;
  readonly #batch: WriteBatch;
  readonly #entriesMax: number;
  readonly #value = Buffer.alloc(VALUE_BYTES);
  #added = 0;

  constructor(view: KeyValueReader, batch: WriteBatch, entriesMax = ACCESS_JOURNAL_ENTRIES_MAX) {
    this.#view = view;
    this.#batch = batch;
    this.#entriesMax = entriesMax;
  }

  /** `edge` is the place of the edge type in `ACCESS_EDGES`. */
  add(edge: number, from: number, to: number): void {
    this.#value[0] = edge;
    writeId(this.#value, FROM_AT, from);
    writeId(this.#value, TO_AT, to);
    this.#batch.put(DB.access, sequenceKey(this.#batch.nextSequence), this.#value);
    this.#added++;
  }

  /**
   * Counts the entries that were added, and trims the oldest. Called once, at the end of the
   * commit.
   */
  finish(): void {
    if (this.#added === 0) return;
    const { entries, goneSequence } = readExtent(this.#view);
    const kept = entries + this.#added;
    const surplus = kept - this.#entriesMax;
    if (surplus <= 0) return this.#putExtent(kept, goneSequence);
    const trimmed = surplus + Math.floor(this.#entriesMax * TRIMMED_SHARE);
    this.#putExtent(kept - trimmed, this.#trim(goneSequence, trimmed));
  }

  /** Removes `count` of the oldest entries. Returns the sequence of the last one removed. */
  #trim(goneSequence: number, count: number): number {
    const oldest: Uint8Array[] = [];
    const range = entriesBetween(goneSequence, this.#batch.nextSequence);
    this.#view.scan(DB.access, range, (key) => {
      oldest.push(Uint8Array.from(key));
      return oldest.length < count;
    });
    for (const key of oldest) this.#batch.delete(DB.access, key);
    return readSequence(must(oldest.at(-1), 'the oldest entry of the journal'), 0);
  }

  #putExtent(entries: number, goneSequence: number): void {
    const extent = Buffer.alloc(2 * SEQUENCE_BYTES);
    extent.writeUIntBE(entries, 0, SEQUENCE_BYTES);
    extent.writeUIntBE(goneSequence, SEQUENCE_BYTES, SEQUENCE_BYTES);
    this.#batch.put(DB.meta, META.accessJournal, extent);
  }
}

/** Reads the journal: see `GraphReader.accessChangesSince`. `upTo` is the sequence of the state. */
export function readAccessChanges(
  state: KeyValueReader,
  since: number,
  upTo: number,
): readonly AccessChange[] | undefined {
  if (since >= upTo) return [];
  if (since < readExtent(state).goneSequence) return undefined;
  const changes: AccessChange[] = [];
  state.scan(DB.access, entriesBetween(since, upTo + 1), (_key, value) => {
    const edge = must(ACCESS_EDGES[value[0]!], 'the access edge of an entry of the journal');
    changes.push({ edge, from: readId(value, FROM_AT), to: readId(value, TO_AT) });
  });
  return changes;
}

function readExtent(state: KeyValueReader): { entries: number; goneSequence: number } {
  const extent = state.get(DB.meta, META.accessJournal);
  if (extent === undefined) return { entries: 0, goneSequence: 0 };
  return { entries: readSequence(extent, 0), goneSequence: readSequence(extent, SEQUENCE_BYTES) };
}

/** The entries after one sequence and before another. */
function entriesBetween(after: number, before: number): KeyRange {
  return { start: sequenceKey(after + 1), end: sequenceKey(before) };
}

function sequenceKey(sequence: number): Uint8Array {
  const key = Buffer.alloc(SEQUENCE_BYTES);
  key.writeUIntBE(sequence, 0, SEQUENCE_BYTES);
  return key;
}
