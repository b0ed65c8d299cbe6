import {
  SEARCH_RELEASED_BYTES_MIN,
  SEARCH_RELEASED_SHARE,
  SEARCH_SEGMENT_BYTES_FLOOR,
  SEARCH_SEGMENT_BYTES_MAX,
  SEARCH_SEGMENT_DOCUMENTS_MAX,
  SEARCH_SEGMENT_MEMORY_SHARE_MAX,
  SEARCH_WAITING_DOCUMENTS_MAX,
  SEARCH_WAITING_TOKENS_MAX,
} from '#base/search-limits.ts';
import { IndexView, openSegment, type SharedPart } from './index-view.ts';
import { type IndexedDocument, SegmentBuilder } from './segment-builder.ts';
import type { OpenPages } from './segment-bytes.ts';
import { TextSegment } from './segment.ts';
import { DeletedPostings, TombstoneSet } from './tombstones.ts';

export interface TextIndexLimits {
  /** Waiting documents become a segment when they, or their tokens, reach this number. */
  readonly waitingDocumentsMax: number;
  readonly waitingTokensMax: number;
  /** Limits of the segments that merges make. */
  readonly segmentDocumentsMax: number;
  readonly segmentBytesMax: number;
}

/** A segment as it was kept on disk. */
export interface StoredPart {
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  /** Postings and positions are not in `memory`. */
  readonly isInFile: boolean;
  readonly deleted: Iterable<number>;
}

/** Segments to merge, as they were when planned. `mergeSegments` may run in any thread. */
export interface MergeTask {
  readonly parts: readonly SharedPart[];
}

interface Part {
  readonly id: number;
  readonly segment: TextSegment;
  readonly isInFile: boolean;
  readonly tombstones: TombstoneSet;
  readonly deletedPostings: DeletedPostings;
}

/**
 * The writer's side of the index, for one thread. Documents wait until `refresh` makes a segment of
 * them; a new document of a node replaces the old one. Readers see only the views that `refresh`
 * returns.
 */
export class TextIndex {
  readonly #limits: TextIndexLimits;
  readonly #openPages: OpenPages | undefined;
  #parts: Part[];
  #nextId: number;
  #builder = new SegmentBuilder();
  #waiting = new Map<number, number>();
  #waitingDeleted: number[] = [];

  /**
   * Starts with the `stored` segments. New segments get numbers after theirs, from `firstId` on.
   * Segments in files need `openPages`.
   */
  constructor(
    limits: TextIndexLimits,
    stored: readonly StoredPart[] = [],
    { firstId = 1, openPages }: { readonly firstId?: number; readonly openPages?: OpenPages } = {},
  ) {
    this.#limits = limits;
    this.#openPages = openPages;
    this.#parts = stored.map(({ deleted, ...part }) => {
      const segment = openSegment(part, openPages);
      return openPart(part.id, segment, part.isInFile, deleted);
    });
    this.#nextId = stored.reduce((next, { id }) => Math.max(next, id + 1), firstId);
  }

  /** An empty index to start over with. It never uses a segment number again. */
  successor(): TextIndex {
    const openPages = this.#openPages;
    return new TextIndex(this.#limits, [], {
      firstId: this.#nextId,
      ...(openPages && { openPages }),
    });
  }

  add(document: IndexedDocument): void {
    this.remove(document.node);
    this.#waiting.set(document.node, this.#builder.add(document));
    const { waitingDocumentsMax, waitingTokensMax } = this.#limits;
    if (
      this.#builder.documentCount >= waitingDocumentsMax ||
      this.#builder.tokenCount >= waitingTokensMax
    ) {
      this.#flush();
    }
  }

  /** Does nothing if the node is not in the index. */
  remove(node: number): void {
    const waiting = this.#waiting.get(node);
    if (waiting !== undefined) {
      this.#waitingDeleted.push(waiting);
      this.#waiting.delete(node);
      return;
    }
    for (const { segment, tombstones } of this.#parts) {
      const document = segment.documentOf(node);
      if (document < 0 || tombstones.has(document)) continue;
      tombstones.delete(document);
      return;
    }
  }

  /**
   * Takes in a segment of `nodes` made elsewhere, which replaces what is known of them, except of
   * the `outdated` nodes: what is known of those is newer.
   */
  adopt(
    nodes: ArrayLike<number>,
    memory: SharedArrayBuffer | undefined,
    outdated: ReadonlySet<number>,
  ): void {
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i]!;
      if (!outdated.has(node)) this.remove(node);
    }
    if (memory === undefined) return;
    const part = openPart(this.#nextId++, new TextSegment(memory), false, []);
    for (const node of outdated) {
      const document = part.segment.documentOf(node);
      if (document >= 0) part.tombstones.delete(document);
    }
    this.#parts.push(part);
  }

  /** A view of all that was written so far. */
  refresh(): IndexView {
    this.#flush();
    return new IndexView(
      this.#parts.map((part) => ({
        ...sharedPart(part),
        segment: part.segment,
        deletedPostings: part.deletedPostings,
      })),
    );
  }

  /**
   * What to merge next, if anything; more when idle. One task at a time, then `applyMerge`. Leaves
   * segments in `except` alone.
   */
  planMerge(isIdle = false, except: ReadonlySet<number> = new Set()): MergeTask | undefined {
    const parts = this.#parts.filter(({ id }) => !except.has(id));
    const sizes = parts.map(({ segment, tombstones }) => ({
      documentCount: segment.documents.count,
      deletedCount: tombstones.deletedCount,
      bytes: segment.bytes,
    }));
    const chosen = planMerge(sizes, this.#limits, isIdle);
    return chosen && { parts: chosen.map((index) => sharedPart(parts[index]!)) };
  }

  /** Replaces the sources by the merged segment, and deletes from it what was deleted meanwhile. */
  applyMerge(task: MergeTask, memory: SharedArrayBuffer): void {
    const merged = openPart(this.#nextId++, new TextSegment(memory), false, []);
    const { segment } = merged;
    for (const { id, tombstones: before } of task.parts) {
      const source = this.#parts.find((part) => part.id === id)!;
      const { deleted } = source.tombstones.publish();
      for (const document of deleted.subarray(before.deletedCount)) {
        const node = source.segment.documents.nodes[document]!;
        merged.tombstones.delete(segment.documentOf(node));
      }
    }
    const sources = new Set(task.parts.map(({ id }) => id));
    this.#parts = this.#parts.filter(({ id }) => !sources.has(id));
    if (segment.documents.count > 0) this.#parts.push(merged);
  }

  /** Bytes of it in memory. */
  get memoryBytes(): number {
    return this.#parts.reduce((sum, { segment }) => sum + segment.memory.byteLength, 0);
  }

  /**
   * From the next view on, reads `saved` segments from their files so that the rest fits into
   * memory, as far as possible. Returns whether there were any.
   */
  keepWithin(memoryBytesMax: number, saved: ReadonlySet<number>): boolean {
    const isMovable = ({ id, isInFile }: Part): boolean => !isInFile && saved.has(id);
    const moved = chooseForFile(
      this.#parts.map((part) => {
        const { bytes, residentBytes, memory } = part.segment;
        return isMovable(part)
          ? { bytes, residentBytes }
          : { bytes: memory.byteLength, residentBytes: memory.byteLength };
      }),
      memoryBytesMax,
    );
    this.#parts = this.#parts.map((part, index) => (moved.has(index) ? this.#inFile(part) : part));
    return moved.size > 0;
  }

  #inFile(part: Part): Part {
    const { memory, residentBytes } = part.segment;
    const resident = new SharedArrayBuffer(residentBytes);
    new Uint8Array(resident).set(new Uint8Array(memory, 0, residentBytes));
    const { id, tombstones } = part;
    const segment = openSegment({ id, memory: resident, isInFile: true }, this.#openPages);
    // A new object: nothing may refer to the memory that it releases.
    return openPart(id, segment, true, tombstones.publish().deleted);
  }

  #flush(): void {
    if (this.#builder.documentCount === 0) return;
    const segment = new TextSegment(this.#builder.finish());
    this.#parts.push(openPart(this.#nextId++, segment, false, this.#waitingDeleted));
    this.#builder = new SegmentBuilder();
    this.#waiting = new Map();
    this.#waitingDeleted = [];
  }
}

function openPart(
  id: number,
  segment: TextSegment,
  isInFile: boolean,
  deleted: Iterable<number>,
): Part {
  return {
    id,
    segment,
    isInFile,
    tombstones: new TombstoneSet(segment.documents, deleted),
    deletedPostings: new DeletedPostings(segment),
  };
}

function sharedPart({ id, segment, isInFile, tombstones }: Part): SharedPart {
  return { id, memory: segment.memory, isInFile, tombstones: tombstones.publish() };
}

export const TEXT_INDEX_LIMITS: TextIndexLimits = {
  waitingDocumentsMax: SEARCH_WAITING_DOCUMENTS_MAX,
  waitingTokensMax: SEARCH_WAITING_TOKENS_MAX,
  segmentDocumentsMax: SEARCH_SEGMENT_DOCUMENTS_MAX,
  segmentBytesMax: SEARCH_SEGMENT_BYTES_MAX,
};

/** With a budget of memory segments are smaller: a merge holds its result in memory. */
export function limitsWithin(memoryBytesMax: number): TextIndexLimits {
  const share = Math.max(
    SEARCH_RELEASED_BYTES_MIN,
    SEARCH_RELEASED_SHARE,
    SEARCH_SEGMENT_BYTES_FLOOR,
    memoryBytesMax * SEARCH_SEGMENT_MEMORY_SHARE_MAX,
  );
  return { ...TEXT_INDEX_LIMITS, segmentBytesMax: Math.min(SEARCH_SEGMENT_BYTES_MAX, share) };
}

/** When views have released more bytes than this, garbage is collected. */
export function releasedBytesMax(memoryBytesMax: number): number {
  return Math.max(SEARCH_RELEASED_BYTES_MIN, memoryBytesMax * SEARCH_RELEASED_SHARE);
}

/** Memory of a segment: as a whole, and without what can be read from its file. */
export interface SegmentMemory {
  readonly bytes: number;
  readonly residentBytes: number;
}

/** A segment that would free less than this share of the budget stays in memory. */
const FREED_SHARE_MIN = 1 / 64;

/**
 * Chooses the segments (by index) to read from their files so that the others fit into memory. The
 * largest go first: a search reads each segment as often. May choose too few, never a tiny one.
 */
export function chooseForFile(
  segments: readonly SegmentMemory[],
  memoryBytesMax: number,
): ReadonlySet<number> {
  const freed = segments.map(({ bytes, residentBytes }) => bytes - residentBytes);
  const freedMin = Math.max(1, memoryBytesMax * FREED_SHARE_MIN);
  let sum = segments.reduce((all, { bytes }) => all + bytes, 0);
  const chosen = new Set<number>();
  for (const index of freed
    .keys()
    .toArray()
    .toSorted((a, b) => freed[b]! - freed[a]!)) {
    if (sum <= memoryBytesMax || freed[index]! < freedMin) break;
    chosen.add(index);
    sum -= freed[index]!;
  }
  return chosen;
}

/** What the policy knows of a segment. */
export interface SegmentSize {
  readonly documentCount: number;
  readonly deletedCount: number;
  readonly bytes: number;
}

/** Limits of the segment that a merge makes. */
interface MergedSizeLimits {
  readonly segmentDocumentsMax: number;
  readonly segmentBytesMax: number;
}

/**
 * Segments within this factor of size form a tier; as many of them merge into one of the next tier.
 */
const TIER_FACTOR = 8;
/** Smaller segments form one tier, whatever their size: a refresh makes many of them. */
const SMALLEST_TIER = 256;
/** A segment with more deleted documents than this share is written again without them. */
const DELETED_SHARE_MAX = 0.25;

/**
 * Chooses the segments to merge next, by index; undefined if there is nothing to do. Each document
 * is rewritten about once for each tier, and a search reads at most seven segments of a tier. First
 * comes a segment full of deleted documents, then the smallest tier that is full.
 *
 * A thread that `isIdle` leaves one segment in each tier but the smallest, as each costs every
 * search time.
 */
export function planMerge(
  segments: readonly SegmentSize[],
  limits: MergedSizeLimits,
  isIdle: boolean,
): number[] | undefined {
  const full = segments.findIndex(
    ({ documentCount, deletedCount }) => deletedCount > documentCount * DELETED_SHARE_MAX,
  );
  if (full >= 0) return [full];
  const tiers = new Map<number, number[]>();
  segments.forEach((segment, index) => {
    const tier = tierOf(segment);
    tiers.set(tier, [...(tiers.get(tier) ?? []), index]);
  });
  for (const [tier, members] of [...tiers].toSorted(([a], [b]) => a - b)) {
    const isDue = members.length >= TIER_FACTOR || (isIdle && tier > 0 && members.length > 1);
    if (!isDue) continue;
    const chosen = withinLimits(segments, members, limits);
    if (chosen.length > 1) return chosen;
  }
  return undefined;
}

function tierOf(segment: SegmentSize): number {
  const size = Math.max(SMALLEST_TIER, livingCount(segment));
  return Math.floor(Math.log(size / SMALLEST_TIER) / Math.log(TIER_FACTOR));
}

/** The smallest segments, as many as fit into one. */
function withinLimits(
  segments: readonly SegmentSize[],
  members: readonly number[],
  { segmentDocumentsMax, segmentBytesMax }: MergedSizeLimits,
): number[] {
  const chosen: number[] = [];
  let documents = 0;
  let bytes = 0;
  const size = (index: number): number => livingCount(segments[index]!);
  for (const index of members.toSorted((a, b) => size(a) - size(b))) {
    documents += size(index);
    bytes += segments[index]!.bytes;
    if (documents > segmentDocumentsMax || bytes > segmentBytesMax) break;
    chosen.push(index);
  }
  return chosen.toSorted((a, b) => a - b);
}

function livingCount({ documentCount, deletedCount }: SegmentSize): number {
  return documentCount - deletedCount;
}
