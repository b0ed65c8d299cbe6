import type { Clock } from '#base/clock.ts';
import {
  SEARCH_BATCH_NODES_MAX,
  SEARCH_DAMAGE_NOTES_MAX,
  SEARCH_INDEXING_CACHED_WORDS_MAX,
  VECTOR_BATCH_NODES_MAX,
} from '#base/search-limits.ts';
import { visitChanges } from '#graph/changed-nodes.ts';
import type { NodeRecord } from '#graph/node-record.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { settingVersion } from '#access/settings.ts';
import {
  type IndexNumbers,
  type IndexPlan,
  NO_NUMBERS,
  planIndex,
} from '../settings/index-plan.ts';
import { SEARCH_SETTING, withFiles, withUnnamedTypes } from '../settings/search-settings.ts';
import { readSearchSettings } from '../settings/search-settings-service.ts';
import { EMBEDDING_TYPE } from '../embeddings/embedding-record.ts';
import type { TextIndex } from '../text/text-index.ts';
import { documentOf, plannedFor } from './build-segments.ts';
import { type ConnectionPages, Connections } from './connections.ts';
import { RangeBuilds, Rebuild, type SegmentThreads } from './rebuild.ts';
import type { SearchSnapshot } from './search-snapshot.ts';
import type { KeptVectors, VectorFieldOptions, VectorProgress } from './vectors/vector-field.ts';
import { VectorIndexer } from './vectors/vector-indexer.ts';
import { Analyzers } from '../analysis/language-analyzer.ts';
import { Problem } from '#base/problem.ts';

/** The part of the commit log that it needs. */
export interface CommitSource {
  readonly firstSequence: number;
  readonly lastSequence: number;
  read(from: number): AsyncIterable<{ readonly last: number; readonly payload: Uint8Array }>;
}

/** Progress of a stored index: what it reflects, and how its documents were made. */
export interface IndexProgress {
  readonly sequence: number;
  readonly numbers: IndexNumbers;
  /** Digest of each type's plan, by the origin of the type. */
  readonly digests: Readonly<Record<string, string>>;
  /** Whether the index has ever been whole. */
  readonly isWhole: boolean;
}

export interface IndexFollowerOptions {
  readonly reader: StateReader;
  readonly log: CommitSource;
  readonly index: TextIndex;
  readonly clock: Clock;
  /** Progress of `index`; undefined when it is empty. The log must still have what comes after. */
  readonly progress: IndexProgress | undefined;
  /** What was counted when `progress` was saved; undefined: all is to be counted. */
  readonly keptConnections?: ConnectionPages | undefined;
  readonly vectors: VectorFieldOptions;
  /** The log must still have what comes after, too. */
  readonly keptVectors: KeptVectors | undefined;
  /** Who makes segments of many nodes; without any, this thread. */
  readonly threads?: SegmentThreads | undefined;
  /** Told what cannot be indexed. */
  readonly note?: ((text: string) => void) | undefined;
}

/**
 * Keeps the text index up to date with the commit log. It reads each changed node as it is now, so
 * reading a commit twice does no harm. A type whose settings change is rebuilt in pieces between
 * commits; until then its nodes are found as they were indexed before.
 */
export class IndexFollower {
  readonly #options: IndexFollowerOptions;
  readonly #analyzers = new Analyzers(SEARCH_INDEXING_CACHED_WORDS_MAX);
  readonly #records: SoundRecords;
  readonly #rebuild: Rebuild;
  readonly #builds: RangeBuilds | undefined;
  /** The vectors that there are, and the types whose vectors are rebuilt. */
  readonly vectors: VectorIndexer;
  readonly #vectorRebuild: Rebuild;
  /** What is kept of edges, and the types whose nodes are still to be counted since the start. */
  readonly #connections: Connections;
  readonly #connectionRebuild: Rebuild;
  #plan: IndexPlan;
  /** What the plan was made of. */
  #planned: { readonly schema: object; readonly settings: number } | undefined;
  #digests: Map<string, string>;
  #sequence: number;
  /** Whether the index has ever been whole. */
  #isWhole: boolean;

  constructor(options: IndexFollowerOptions) {
    const { reader, clock, progress, keptVectors, keptConnections } = options;
    this.#options = options;
    this.#records = new SoundRecords(reader, options.note);
    const rebuild = (this.#rebuild = new Rebuild(reader, clock));
    const { threads, index } = options;
    this.#builds = threads && new RangeBuilds({ threads, rebuild, index });
    this.#vectorRebuild = new Rebuild(reader, clock);
    this.vectors = new VectorIndexer({ reader, clock, ...options.vectors }, keptVectors);
    this.#connections = new Connections(reader, keptConnections);
    this.#connectionRebuild = new Rebuild(reader, clock);
    reader.refresh();
    for (const { name } of reader.registry.presentNodeTypes) {
      if (keptConnections !== undefined || name.startsWith('_')) continue;
      this.#connectionRebuild.add(name);
    }
    this.#isWhole = progress?.isWhole ?? false;
    // Indexing a commit twice does no harm.
    const sequences = [progress, keptVectors].map((kept) => kept?.sequence ?? reader.sequence);
    this.#sequence = Math.min(...sequences);
    this.#digests = new Map(Object.entries(progress?.digests ?? {}));
    this.#plan = { numbers: progress?.numbers ?? NO_NUMBERS, types: new Map() };
    this.#makePlan();
    this.#makeVectors(keptVectors?.waiting ?? []);
    if (this.#rebuild.isDone) this.#isWhole = true;
  }

  /** Where a restart continues. An unfinished type has a digest that no plan has. */
  get progress(): IndexProgress {
    const { registry } = this.#options.reader;
    const undone = this.#rebuild.names.map(
      (name) => [registry.nodeType(name)?.origin ?? originOfGone(name), ''] as const,
    );
    return {
      sequence: this.#sequence,
      numbers: this.#plan.numbers,
      digests: Object.fromEntries([...this.#digests, ...undone]),
      isWhole: this.#isWhole,
    };
  }

  /**
   * How many edges nodes have at `progress`, or later; undefined while some are not counted. What
   * commits after it change is counted again.
   */
  get countedConnections(): ConnectionPages | undefined {
    const isWhole = this.#connectionRebuild.isDone && !this.#connections.areWaiting;
    return isWhole ? this.#connections.share() : undefined;
  }

  /** Progress of the vectors; undefined while they are rebuilt. */
  get vectorProgress(): VectorProgress | undefined {
    if (!this.#vectorRebuild.isDone) return undefined;
    return { sequence: this.#sequence, waiting: this.vectors.waiting.nodes() };
  }

  /** Sequence up to which everything is indexed. */
  get sequence(): number {
    return this.#sequence;
  }

  get isRebuilding(): boolean {
    return !this.#rebuild.isDone || !this.#vectorRebuild.isDone;
  }

  get isUpToDate(): boolean {
    const isCounting = !this.#connectionRebuild.isDone || this.#connections.areWaiting;
    const isBehind = this.#options.log.lastSequence > this.#sequence;
    return !isBehind && !this.isRebuilding && !isCounting;
  }

  /** Whether other threads build segments, which it takes in when they come. */
  get isBuilding(): boolean {
    return this.#builds?.areUnderWay ?? false;
  }

  /** Calls the listener when there is something to take in from other threads. */
  onBuilt(listener: () => void): void {
    if (this.#builds !== undefined) this.#builds.onBuilt = listener;
  }

  /** Discards what other threads build. */
  [Symbol.dispose](): void {
    this.#builds?.[Symbol.dispose]();
  }

  /** Does some work; false when there was none. Rejects with `log_trimmed` when it fell behind. */
  async work(): Promise<boolean> {
    const hasFollowed = await this.#follow();
    return this.#rebuildSome() || hasFollowed;
  }

  /** Sets the vectors of nodes that waited for this text. */
  #indexWaiting(key: string): void {
    this.#makeVectors(this.vectors.waiting.nodesWith(key));
  }

  /** Rebuilds all types that have to be. */
  rebuild(): void {
    while (this.#rebuildSome());
  }

  /** What can be found now. */
  snapshot(): SearchSnapshot {
    const { index } = this.#options;
    const view = index.refresh();
    return {
      released: 0,
      state: {
        sequence: this.#isWhole ? this.#sequence : null,
        documents: view.documentCount,
        segments: view.parts.length,
        bytes: view.memoryBytes,
        bytesOnDisk: view.bytes - view.memoryBytes,
        rebuild: this.#rebuild.state() ?? this.#vectorRebuild.state(),
        vectors: this.vectors.state(),
        texts: this.vectors.waiting.count,
      },
      plan: this.#plan,
      view: view.share(),
      vectors: this.vectors.snapshot(),
      connections: this.#connections.share(),
    };
  }

  async #follow(): Promise<boolean> {
    const { log, reader } = this.#options;
    if (log.lastSequence <= this.#sequence) return false;
    /** Node -> the commit that changed it last. */
    const changed = new Map<number, number>();
    let last = this.#sequence;
    for await (const record of log.read(this.#sequence + 1)) {
      last = record.last;
      visitChanges(record.payload, {
        node: (id) => changed.set(id, last),
        end: (id) => this.#connections.note(id),
      });
      if (changed.size >= SEARCH_BATCH_NODES_MAX || this.#connections.isFull) break;
    }
    reader.refresh();
    while (this.#connections.isFull) this.#connections.work();
    this.#makePlan();
    const embedding = reader.registry.nodeType(EMBEDDING_TYPE)?.id;
    for (const [id, sequence] of changed) this.#index(id, sequence, embedding);
    this.#sequence = last;
    return true;
  }

  /** Made again when the schema or the settings have changed. */
  #makePlan(): void {
    const { reader } = this.#options;
    const schema = reader.schema();
    const settings = settingVersion(reader, SEARCH_SETTING);
    if (this.#planned?.schema === schema && this.#planned.settings === settings) return;
    this.#planned = { schema, settings };
    const { numbers } = this.#plan;
    const searched = withFiles(withUnnamedTypes(readSearchSettings(reader), schema));
    this.#plan = planIndex(searched, reader.registry, numbers);
    const digests = new Map(
      [...this.#plan.types.values()].map(({ origin, digest }) => [origin, digest]),
    );
    const types = new Map(reader.registry.nodeTypes.map((type) => [type.origin, type]));
    for (const origin of new Set([...digests.keys(), ...this.#digests.keys()])) {
      if (digests.get(origin) === this.#digests.get(origin)) continue;
      const type = types.get(origin);
      // The nodes of a type that was dropped are taken out of the index; they can come again.
      if (type?.dropped === undefined) this.#rebuild.add(type?.name ?? origin);
      else this.#rebuild.add(nameOfGone(origin), reader.walkNumberedType(type.id));
    }
    this.#digests = digests;
    const { types: vectorTypes, nodes } = this.vectors.plan(this.#plan.types.values());
    for (const name of vectorTypes) this.#vectorRebuild.add(name);
    this.#makeVectors(nodes);
  }

  #rebuildSome(): boolean {
    if (this.#rebuild.isDone) return this.#rebuildSomeVectors();
    let hasWorked = true;
    if (this.#builds?.isWorthIt === true) {
      hasWorked = this.#builds.work(this.#plan.types);
    } else {
      const visit = (id: number): void => this.#indexText(id, this.#records.read(id));
      this.#rebuild.visit(SEARCH_BATCH_NODES_MAX, visit);
    }
    if (this.#rebuild.isDone) {
      this.#isWhole = true;
      this.#builds?.rest();
    }
    // True also if the last types had no nodes: their end has to be published.
    return hasWorked || this.#rebuild.isDone;
  }

  #rebuildSomeVectors(): boolean {
    if (this.#vectorRebuild.isDone) return this.#countSome();
    const visit = (id: number): void => this.#indexVectors(id, this.#records.read(id));
    this.#vectorRebuild.visit(VECTOR_BATCH_NODES_MAX, visit);
    return true;
  }

  #countSome(): boolean {
    if (!this.#connectionRebuild.isDone) {
      const visit = (id: number): void => this.#connections.count(id);
      this.#connectionRebuild.visit(SEARCH_BATCH_NODES_MAX, visit);
      return true;
    }
    if (!this.#connections.areWaiting) return false;
    this.#connections.work();
    return true;
  }

  /**
   * Indexes a node that the commit at `sequence` changed. `embedding`: number of the type of
   * embeddings. The record is valid until the reader's next call.
   */
  #index(id: number, sequence: number, embedding: number | undefined): void {
    const record = this.#records.read(id);
    if (record !== undefined && record.typeId === embedding) {
      this.#indexWaiting(record.key ?? '');
      return;
    }
    if (record === undefined || !this.#isRebuilt(record, sequence)) this.#indexText(id, record);
    this.#indexVectors(id, record);
  }

  /** Whether a rebuild reads the node anyway as it was at this sequence, or later. */
  #isRebuilt(record: NodeRecord, sequence: number): boolean {
    const { name } = this.#options.reader.nodeTypeOf(record);
    return this.#rebuild.covers(name, sequence);
  }

  #makeVectors(ids: readonly number[]): void {
    for (const id of ids) this.#indexVectors(id, this.#records.read(id));
  }

  #indexVectors(id: number, record: NodeRecord | undefined): void {
    const { reader } = this.#options;
    const planned = plannedFor(record, { reader, types: this.#plan.types });
    if (record === undefined || planned === undefined) {
      this.vectors.delete(id);
      return;
    }
    const type = reader.nodeTypeOf(record);
    const values = planned.vectors.map(({ name }) => record.valueByName(type, name));
    this.vectors.set(id, planned, values);
  }

  #indexText(id: number, record: NodeRecord | undefined): void {
    const { reader, index } = this.#options;
    const { types } = this.#plan;
    const document = documentOf(id, record, { reader, types, analyzers: this.#analyzers });
    this.#builds?.outdate(id);
    if (document === undefined) index.remove(id);
    else index.add(document);
  }
}

/** As rebuilds name a type that was dropped: a new one may have its name. */
function nameOfGone(origin: string): string {
  return `${origin}${GONE}`;
}

function originOfGone(name: string): string {
  return name.endsWith(GONE) ? name.slice(0, -GONE.length) : name;
}

const GONE = ' (dropped)';

/**
 * Reads nodes to be indexed. A damaged node gives no record, so only that node is not found; it is
 * logged.
 */
export class SoundRecords {
  readonly #reader: StateReader;
  readonly #note: ((text: string) => void) | undefined;
  #damaged = 0;

  constructor(reader: StateReader, note: ((text: string) => void) | undefined) {
    this.#reader = reader;
    this.#note = note;
  }

  /** Valid until the next call on the reader. */
  read(id: number): NodeRecord | undefined {
    try {
      return this.#reader.record(id);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'storage_corrupt') throw error;
      this.#tell(error.message);
      return undefined;
    }
  }

  #tell(why: string): void {
    this.#damaged++;
    if (this.#damaged > SEARCH_DAMAGE_NOTES_MAX) return;
    const isLast = this.#damaged === SEARCH_DAMAGE_NOTES_MAX;
    this.#note?.(
      `search does not find a node: ${why}${isLast ? '; further ones are not told' : ''}`,
    );
  }
}
