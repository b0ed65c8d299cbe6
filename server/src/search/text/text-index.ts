import { DeletedPostings } from './deleted-postings.ts';
import { IndexView, openSegment, type SharedPart } from './index-view.ts';
import type { IndexedDocument } from './indexed-document.ts';
import { chooseForFile } from './memory-budget.ts';
import { planMerge } from './merge-policy.ts';
import { SegmentBuilder } from './segment-builder.ts';
import type { OpenPages } from './segment-bytes.ts';
import { Segment } from './segment.ts';
import { TombstoneSet } from './tombstones.ts';

export interface TextIndexLimits {
  /** A segment is made of the waiting documents when they are as many, or have as many tokens. */
  readonly waitingDocumentsMax: number;
  readonly waitingTokensMax: number;
  /** Merges make no segments of more documents, nor of more bytes. */
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

/** Segments to merge, as they were when the merge was planned. `mergeSegments` may do it in any thread. */
export interface MergeTask {
  readonly parts: readonly SharedPart[];
}

interface Part {
  readonly id: number;
  readonly segment: Segment;
  readonly isInFile: boolean;
  readonly tombstones: TombstoneSet;
  readonly deletedPostings: DeletedPostings;
}

/**
 * The writer's side of the index, for one thread. Documents wait until `refresh` makes a segment of them; a document
 * that is written again replaces the one before. Nothing of it shows to readers but the views that `refresh` gives.
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
   * What is stored is gone on from. New segments get numbers from `firstId` on, or from behind those that are stored.
   * `openPages` is needed for segments that are in files.
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

  /** An empty one, to begin anew: it gives no segment a number that readers and files know another one by. */
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

  /** Does nothing where the node is not in the index. */
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
   * Takes in a segment that was made of `nodes` elsewhere, in the place of what is known of them. What is known of the `outdated`
   * nodes is newer, and stays.
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
    const part = openPart(this.#nextId++, new Segment(memory), false, []);
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
   * What to merge next, if anything; more of it when there is nothing else to do. Of one task at a time, the outcome is handed to
   * `applyMerge`. Segments with the numbers in `except` are left alone.
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

  /** Puts the merged segment in the place of its sources. What was deleted from them meanwhile is deleted from it. */
  applyMerge(task: MergeTask, memory: SharedArrayBuffer): void {
    const merged = openPart(this.#nextId++, new Segment(memory), false, []);
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
   * Has segments that were `saved` read from their files from the next view on, so that the rest fits into memory, as far
   * as possible. Says whether there were any.
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
    // All of it anew: nothing may lead to the memory that it leaves.
    return openPart(id, segment, true, tombstones.publish().deleted);
  }

  #flush(): void {
    if (this.#builder.documentCount === 0) return;
    const segment = new Segment(this.#builder.finish());
    this.#parts.push(openPart(this.#nextId++, segment, false, this.#waitingDeleted));
    this.#builder = new SegmentBuilder();
    this.#waiting = new Map();
    this.#waitingDeleted = [];
  }
}

function openPart(
  id: number,
  segment: Segment,
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
