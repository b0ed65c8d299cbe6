import type { IndexPlan } from '../settings/index-plan.ts';
import type { TextIndex } from '../text/text-index.ts';
import type { BuildTask, BuiltSegment } from './build-segments.ts';
import type { Rebuild, RebuildRange } from './rebuild.ts';

/** Threads that make segments beside the one that indexes. */
export interface SegmentThreads {
  /** Tasks at a time. */
  readonly count: number;
  /** The index thread does fewer nodes itself: a thread takes a while to start. */
  readonly nodesMin: number;
  /** Nodes of a task; at the end of a rebuild fewer, so that all threads end at about the same time. */
  readonly taskNodesMin: number;
  readonly taskNodesMax: number;
  /** With more of the index in memory, one thread at a time: files free memory no faster than that. */
  readonly memoryBytesMax: number;
  /** Rejects when the thread ended, or the signal aborted; what was built before is good. */
  build(
    task: BuildTask,
    onBuilt: (segment: BuiltSegment) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** There is nothing to be built for now. */
  rest(): void;
  note(text: string): void;
}

interface RangeBuildsParts {
  readonly threads: SegmentThreads;
  readonly rebuild: Rebuild;
  readonly index: TextIndex;
}

interface Build {
  readonly ranges: readonly RebuildRange[];
  /** Those of all ranges, one range after the other. */
  readonly nodes: Float64Array;
  readonly least: number;
  readonly greatest: number;
  /** How many of the nodes were taken in. */
  taken: number;
  /** Nodes that were indexed since it began: what the other thread makes of them may be older. */
  readonly outdated: Set<number>;
  /** Segments that have come, and were not taken in. */
  readonly built: BuiltSegment[];
  hasEnded: boolean;
  readonly cancel: AbortController;
}

/**
 * Has other threads make segments of the nodes of a rebuild, and takes them into the index. A thread reads a node as it is at some
 * moment after it was asked. When the node changes later, the index thread finds that in the log, as any change: before it takes the
 * segment in, where the node is outdated then, or after that.
 */
export class RangeBuilds implements Disposable {
  onBuilt = (): void => {};
  readonly #threads: SegmentThreads;
  readonly #rebuild: Rebuild;
  readonly #index: TextIndex;
  #builds: Build[] = [];
  /** A thread ended by itself: the index thread does what is left of this rebuild. */
  #hasFailed = false;

  constructor({ threads, rebuild, index }: RangeBuildsParts) {
    this.#threads = threads;
    this.#rebuild = rebuild;
    this.#index = index;
  }

  get areUnderWay(): boolean {
    return this.#builds.length > 0;
  }

  /** Whether `work` is to do what is left of the rebuild. */
  get isWorthIt(): boolean {
    const { left } = this.#rebuild;
    if (this.#hasFailed) return this.areUnderWay && left === 0;
    return this.areUnderWay || left >= this.#threads.nodesMin;
  }

  /** Hands out nodes, and takes in one of the segments that have come; false when there is nothing to do but wait. */
  work(types: IndexPlan['types']): boolean {
    this.#dropUnwanted();
    const hasBegun = this.#begin(types);
    return this.#takeIn() || hasBegun;
  }

  /** The index thread has indexed a node itself, as it is now. */
  outdate(node: number): void {
    for (const { least, greatest, outdated } of this.#builds) {
      if (node >= least && node <= greatest) outdated.add(node);
    }
  }

  /** The rebuild is done. */
  rest(): void {
    this.#hasFailed = false;
    this.#threads.rest();
  }

  [Symbol.dispose](): void {
    this.onBuilt = () => {};
    for (const { cancel } of this.#builds) cancel.abort(new Error('the index is not built on'));
    this.#builds = [];
  }

  /** Of types that begin again. */
  #dropUnwanted(): void {
    this.#builds = this.#builds.filter(({ ranges, cancel }) => {
      if (ranges.some((range) => this.#rebuild.isWanted(range))) return true;
      cancel.abort(new Error('the types are built anew'));
      return false;
    });
  }

  #begin(types: IndexPlan['types']): boolean {
    const { count, taskNodesMin, taskNodesMax, memoryBytesMax } = this.#threads;
    const runningMax = this.#index.memoryBytes > memoryBytesMax ? 1 : count;
    let hasBegun = false;
    while (!this.#hasFailed && this.#rebuild.left > 0 && this.#hasRoom(runningMax)) {
      const share = Math.ceil(this.#rebuild.left / count);
      const ranges = this.#rebuild.take(Math.min(Math.max(share, taskNodesMin), taskNodesMax));
      if (ranges.length === 0) return true;
      void this.#build(ranges, types);
      hasBegun = true;
    }
    return hasBegun;
  }

  /** What was built may wait a little, so that a thread need not. */
  #hasRoom(runningMax: number): boolean {
    const running = this.#builds.filter(({ hasEnded }) => !hasEnded).length;
    return running < runningMax && this.#builds.length < 2 * runningMax;
  }

  async #build(ranges: readonly RebuildRange[], types: IndexPlan['types']): Promise<void> {
    // As the store keeps them: reading is faster so.
    const nodes = Float64Array.from(ranges.flatMap((range) => range.nodes.toSorted(ascending)));
    const build: Build = {
      ranges,
      nodes,
      least: nodes.reduce((least, node) => Math.min(least, node)),
      greatest: nodes.reduce((greatest, node) => Math.max(greatest, node)),
      taken: 0,
      outdated: new Set(),
      built: [],
      hasEnded: false,
      cancel: new AbortController(),
    };
    this.#builds.push(build);
    const take = (segment: BuiltSegment): void => {
      build.built.push(segment);
      this.onBuilt();
    };
    try {
      await this.#threads.build({ nodes, types }, take, build.cancel.signal);
    } catch (error) {
      if (!build.cancel.signal.aborted) {
        this.#threads.note(`the search index is built by one thread: ${String(error)}`);
      }
    }
    build.hasEnded = true;
    this.onBuilt();
  }

  #takeIn(): boolean {
    const build = this.#builds.find(({ built, hasEnded }) => built.length > 0 || hasEnded);
    if (build === undefined) return false;
    const segment = build.built.shift();
    if (segment === undefined) this.#end(build);
    else this.#adopt(build, segment);
    return true;
  }

  #adopt(build: Build, { nodeCount, memory }: BuiltSegment): void {
    const from = build.taken;
    const to = (build.taken += nodeCount);
    const finished: { readonly range: RebuildRange; readonly count: number }[] = [];
    for (const { range, start, end } of placesOf(build)) {
      const count = Math.min(end, to) - Math.max(start, from);
      if (count <= 0) continue;
      if (this.#rebuild.isWanted(range)) finished.push({ range, count });
      else for (const node of range.nodes) build.outdated.add(node);
    }
    this.#index.adopt(build.nodes.subarray(from, to), memory, build.outdated);
    for (const { range, count } of finished) this.#rebuild.finish(range, count);
  }

  #end(build: Build): void {
    this.#builds = this.#builds.filter((other) => other !== build);
    if (build.taken === build.nodes.length) return;
    this.#hasFailed = true;
    for (const { range, start, end } of placesOf(build)) {
      const rest = build.nodes.subarray(Math.max(start, build.taken), end);
      if (rest.length > 0) this.#rebuild.giveBack(range, [...rest]);
    }
  }
}

/** Where the nodes of each range are among those of the build; the end excluded. */
function placesOf({ ranges }: Build) {
  let start = 0;
  return ranges.map((range) => {
    const place = { range, start, end: start + range.nodes.length };
    start = place.end;
    return place;
  });
}

function ascending(a: number, b: number): number {
  return a - b;
}
