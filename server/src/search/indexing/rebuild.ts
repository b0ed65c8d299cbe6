import type { Clock } from '#base/clock.ts';
import type { TypeWalk } from '#graph/reader.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { RebuildState } from './search-snapshot.ts';
import type { IndexPlan } from '../settings/index-plan.ts';
import type { TextIndex } from '../text/text-index.ts';
import type { BuildTask, BuiltSegment } from './build-segments.ts';

interface TypeRebuild {
  readonly name: string;
  readonly walk: TypeWalk;
  /** Nodes with this id or a greater one came after it began: the log tells of them. */
  readonly firstNewId: number;
  /** Nodes of the type when it began. */
  readonly total: number;
  /** Nodes that were handed out; `done` of them are finished. */
  taken: number;
  done: number;
  isWalked: boolean;
}

/** Nodes of one type that were handed out. */
interface RebuildRange {
  readonly nodes: readonly number[];
  readonly type: TypeRebuild;
}

/**
 * The types to index again, one after the other. Nodes are handed out in ranges; a type is done
 * when all of its ranges are. It covers the nodes that there are when it begins, as they are then
 * or later, and nothing that comes after: whoever follows the log need not index a node again for a
 * commit up to then, and has to for every later one.
 */
export class Rebuild {
  readonly #reader: StateReader;
  readonly #clock: Clock;
  #types: TypeRebuild[] = [];
  /** Type, by its name -> the sequence at which its newest rebuild began. */
  readonly #begunAt = new Map<string, number>();
  #returned: RebuildRange[] = [];
  #done = 0;
  #total = 0;
  #startedAt = 0;

  constructor(reader: StateReader, clock: Clock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  get isDone(): boolean {
    return this.#types.length === 0;
  }

  /** Names of the types that are not done. */
  get names(): readonly string[] {
    return this.#types.map(({ name }) => name);
  }

  /** How many nodes are not handed out; 0 when none are. */
  get left(): number {
    const walked = this.#types.map(({ isWalked, total, taken }) =>
      // Nodes may have been added since.
      isWalked ? 0 : Math.max(1, total - taken),
    );
    const returned = this.#returned.map(({ nodes }) => nodes.length);
    return [...walked, ...returned].reduce((sum, count) => sum + count, 0);
  }

  /** Adds a type; one that has begun starts over. `walk` is for nodes that have no such type. */
  add(name: string, walk: TypeWalk = this.#reader.walkType(name)): void {
    if (this.isDone) {
      this.#startedAt = this.#clock.now();
      this.#done = 0;
      this.#total = 0;
    }
    const before = this.#types.find((type) => type.name === name);
    if (before !== undefined) this.#total -= before.total - before.done;
    const total = this.#reader.countOfType(name);
    this.#total += total;
    this.#types = this.#types.filter((type) => type !== before);
    this.#returned = this.#returned.filter(({ type }) => type !== before);
    this.#begunAt.set(name, this.#reader.sequence);
    const firstNewId = this.#reader.nextId;
    this.#types.push({ name, walk, firstNewId, total, taken: 0, done: 0, isWalked: false });
  }

  /**
   * Whether a rebuild of this type began after a commit, so that it reads what the commit changed.
   */
  covers(type: string, sequence: number): boolean {
    return sequence <= (this.#begunAt.get(type) ?? -1);
  }

  /** Hands out up to `count` more nodes; none when all are handed out. */
  take(count: number): RebuildRange[] {
    const ranges: RebuildRange[] = [];
    let left = count;
    while (left > 0) {
      const range = this.#returned.pop() ?? this.#walk(left);
      if (range === undefined) break;
      ranges.push(range);
      left -= range.nodes.length;
    }
    return ranges;
  }

  /** Whether the rebuild that handed out this range still goes on. */
  isWanted({ type }: RebuildRange): boolean {
    return this.#types.includes(type);
  }

  /** Counts `count` more nodes of a range as done. */
  finish(range: RebuildRange, count: number): void {
    if (!this.isWanted(range)) return;
    range.type.done += count;
    this.#done += count;
    this.#drop(range.type);
  }

  /** Nodes of a range that nobody will do. */
  giveBack(range: RebuildRange, nodes: readonly number[]): void {
    if (this.isWanted(range)) this.#returned.push({ type: range.type, nodes });
  }

  /** Visits up to `count` more nodes and counts them as done. */
  visit(count: number, visit: (node: number) => void): void {
    for (const range of this.take(count)) {
      for (const node of range.nodes) visit(node);
      this.finish(range, range.nodes.length);
    }
  }

  state(): RebuildState | null {
    if (this.isDone) return null;
    return {
      types: this.names,
      done: this.#done,
      // Nodes may have been added since.
      total: Math.max(this.#total, this.#done),
      startedAt: new Date(this.#startedAt).toISOString(),
    };
  }

  /** Nodes of the first type that has any left; types without any are done. */
  #walk(count: number): RebuildRange | undefined {
    for (const type of this.#types) {
      while (!type.isWalked) {
        const walked = type.walk.next(count);
        const nodes = walked.filter((node) => node < type.firstNewId);
        type.taken += nodes.length;
        type.isWalked = walked.length < count;
        if (nodes.length > 0) return { type, nodes };
      }
      this.#drop(type);
    }
    return undefined;
  }

  /** Removes a type whose nodes are all done. */
  #drop(type: TypeRebuild): void {
    if (!type.isWalked || type.done < type.taken) return;
    this.#types = this.#types.filter((other) => other !== type);
  }
}

/** Threads that make segments beside the one that indexes. */
export interface SegmentThreads {
  /** Tasks at a time. */
  readonly count: number;
  /** With fewer nodes the index thread does them itself, as a thread takes a while to start. */
  readonly nodesMin: number;
  /**
   * Nodes of a task; fewer at the end of a rebuild, so that all threads end at about the same time.
   */
  readonly taskNodesMin: number;
  readonly taskNodesMax: number;
  /**
   * With more than this in memory only one thread builds: files free memory no faster than that.
   */
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
  /** The nodes of all ranges, one range after the other. */
  readonly nodes: Float64Array;
  readonly least: number;
  readonly greatest: number;
  /** How many of the nodes are in the index. */
  taken: number;
  /** Nodes indexed since the build began: the other thread may have read them before. */
  readonly outdated: Set<number>;
  /** Finished segments that are not yet in the index. */
  readonly built: BuiltSegment[];
  hasEnded: boolean;
  readonly cancel: AbortController;
}

/**
 * Has other threads build segments of the nodes of a rebuild, and takes them into the index. A
 * thread reads a node some time after the request. If the node changes after that, the index thread
 * sees it in the log: before it takes in the segment (then the node is outdated in it) or later.
 */
export class RangeBuilds implements Disposable {
  onBuilt = (): void => {};
  readonly #threads: SegmentThreads;
  readonly #rebuild: Rebuild;
  readonly #index: TextIndex;
  #builds: Build[] = [];
  /** A thread failed: the index thread does the rest of this rebuild. */
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

  /** Hands out nodes, and takes in one finished segment; false when it can only wait. */
  work(types: IndexPlan['types']): boolean {
    this.#dropUnwanted();
    const hasBegun = this.#begin(types);
    return this.#takeIn() || hasBegun;
  }

  /** Notes that the index thread has indexed this node itself. */
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

  /** Cancels the builds of types that start over. */
  #dropUnwanted(): void {
    this.#builds = this.#builds.filter(({ ranges, cancel }) => {
      if (ranges.some((range) => this.#rebuild.isWanted(range))) return true;
      cancel.abort(new Error('the types are rebuilt'));
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

  /** Allows a few finished segments to wait, so that threads do not. */
  #hasRoom(runningMax: number): boolean {
    const running = this.#builds.filter(({ hasEnded }) => !hasEnded).length;
    return running < runningMax && this.#builds.length < 2 * runningMax;
  }

  async #build(ranges: readonly RebuildRange[], types: IndexPlan['types']): Promise<void> {
    // In the order of the store, which is faster to read.
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

/** Where the nodes of each range are in the build; end excluded. */
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
