import { DeletedPostings } from './deleted-postings.ts';
import { IndexView, type SharedPart } from './index-view.ts';
import type { IndexedDocument } from './indexed-document.ts';
import { planMerge } from './merge-policy.ts';
import { SegmentBuilder } from './segment-builder.ts';
import type { ReadBytes } from './segment-bytes.ts';
import { Segment } from './segment.ts';
import { TombstoneSet } from './tombstones.ts';

export interface TextIndexLimits {
  /** A segment is made of the waiting documents when they are as many, or have as many tokens. */
  readonly waitingDocumentsMax: number;
  readonly waitingTokensMax: number;
  /** Merges make no segments of more documents. */
  readonly segmentDocumentsMax: number;
}

/** A segment as it was kept on disk. */
export interface StoredPart {
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  /** Where postings and positions are not in `memory`. */
  readonly read?: ReadBytes;
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
  #parts: Part[];
  #nextId: number;
  #builder = new SegmentBuilder();
  #waiting = new Map<number, number>();
  #waitingDeleted: number[] = [];

  constructor(limits: TextIndexLimits, stored: readonly StoredPart[] = []) {
    this.#limits = limits;
    this.#parts = stored.map(({ id, memory, read, deleted }) => {
      const segment = new Segment(memory, read);
      return openPart(id, segment, read !== undefined, deleted);
    });
    this.#nextId = stored.reduce((next, { id }) => Math.max(next, id + 1), 1);
  }

  /** An empty one, to begin anew: it gives no segment a number that readers and files know another one by. */
  successor(): TextIndex {
    const next = new TextIndex(this.#limits);
    next.#nextId = this.#nextId;
    return next;
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
   * `applyMerge`.
   */
  planMerge(isIdle = false): MergeTask | undefined {
    const sizes = this.#parts.map(({ segment, tombstones }) => ({
      documentCount: segment.documents.count,
      deletedCount: tombstones.deletedCount,
    }));
    const chosen = planMerge(sizes, this.#limits.segmentDocumentsMax, isIdle);
    return chosen && { parts: chosen.map((index) => sharedPart(this.#parts[index]!)) };
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

  /**
   * From the next view on, the postings of a segment are read from its file: `memory` is only what else it consists
   * of.
   */
  moveToFile(id: number, memory: SharedArrayBuffer, read: ReadBytes): void {
    const segment = new Segment(memory, read);
    this.#parts = this.#parts.map((part) =>
      part.id === id
        ? { ...part, segment, isInFile: true, deletedPostings: new DeletedPostings(segment) }
        : part,
    );
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
