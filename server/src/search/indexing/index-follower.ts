import type { Clock } from '#base/clock.ts';
import { SEARCH_BATCH_NODES_MAX, SEARCH_INDEXING_CACHED_WORDS_MAX } from '#base/search-limits.ts';
import { visitChangedNodes } from '#graph/changed-nodes.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { settingVersion } from '#access/settings.ts';
import { Analyzers } from '../analysis/analyzer.ts';
import {
  planIndex,
  NO_NUMBERS,
  type IndexNumbers,
  type IndexPlan,
} from '../settings/index-plan.ts';
import { SEARCH_SETTING } from '../settings/search-settings.ts';
import { readSearchSettings } from '../settings/search-settings-service.ts';
import type { TextIndex } from '../text/text-index.ts';
import { documentOf } from './node-document.ts';
import { Rebuild } from './rebuild.ts';
import type { SearchSnapshot } from './search-snapshot.ts';

/** As much of the commit log as it takes. */
export interface CommitSource {
  readonly firstSequence: number;
  readonly lastSequence: number;
  read(from: number): AsyncIterable<{ readonly last: number; readonly payload: Uint8Array }>;
}

/** What is known of an index that was kept: what it reflects, and how its documents were made. */
export interface IndexProgress {
  readonly sequence: number;
  readonly numbers: IndexNumbers;
  /** By name of the type: the digest of its plan. */
  readonly digests: Readonly<Record<string, string>>;
}

export interface IndexFollowerOptions {
  readonly reader: StateReader;
  readonly log: CommitSource;
  readonly index: TextIndex;
  readonly clock: Clock;
  /** Of `index`; undefined when that is empty. The log must reach back so far. */
  readonly progress: IndexProgress | undefined;
}

/**
 * Keeps the text index up with the commit log. Each changed node is looked up as it is now, so that a commit which is read
 * twice, or a node that has changed again since, does no harm. A type whose settings change is walked through in pieces between
 * the commits; until that is done its nodes are found as they were indexed before.
 */
export class IndexFollower {
  readonly #options: IndexFollowerOptions;
  readonly #analyzers = new Analyzers(SEARCH_INDEXING_CACHED_WORDS_MAX);
  readonly #rebuild: Rebuild;
  #plan: IndexPlan;
  /** What the plan was made of. */
  #planned: { readonly schema: object; readonly settings: number } | undefined;
  #digests: Map<string, string>;
  #sequence: number;
  /** Whether the index has ever been whole. */
  #isWhole: boolean;

  constructor(options: IndexFollowerOptions) {
    const { reader, progress } = options;
    this.#options = options;
    this.#rebuild = new Rebuild(reader, options.clock);
    reader.refresh();
    this.#isWhole = progress !== undefined;
    this.#sequence = progress?.sequence ?? reader.sequence;
    this.#digests = new Map(Object.entries(progress?.digests ?? {}));
    this.#plan = { numbers: progress?.numbers ?? NO_NUMBERS, types: new Map() };
    this.#makePlan();
    if (this.#rebuild.isDone) this.#isWhole = true;
  }

  /** To go on from. A type that is not done yet has a digest that no plan has. */
  get progress(): IndexProgress {
    const undone = this.#rebuild.names.map((name) => [name, ''] as const);
    return {
      sequence: this.#sequence,
      numbers: this.#plan.numbers,
      digests: Object.fromEntries([...this.#digests, ...undone]),
    };
  }

  get isRebuilding(): boolean {
    return !this.#rebuild.isDone;
  }

  get isUpToDate(): boolean {
    return this.#options.log.lastSequence <= this.#sequence && !this.isRebuilding;
  }

  /** Takes in some of what there is to do; false when there was nothing. Rejects with `log_trimmed` when it has fallen behind. */
  async work(): Promise<boolean> {
    const hasFollowed = await this.#follow();
    return this.#rebuildSome() || hasFollowed;
  }

  /** Takes in all that is to be indexed anew. */
  rebuild(): void {
    while (this.#rebuildSome());
  }

  /** What can be found now. */
  snapshot(): SearchSnapshot {
    const { index } = this.#options;
    const view = index.refresh();
    return {
      state: {
        sequence: this.#isWhole ? this.#sequence : null,
        documents: view.documentCount,
        segments: view.parts.length,
        bytes: view.parts.reduce((sum, { memory }) => sum + memory.byteLength, 0),
        rebuild: this.#rebuild.state(),
      },
      plan: this.#plan,
      view: view.share(),
    };
  }

  async #follow(): Promise<boolean> {
    const { log, reader } = this.#options;
    if (log.lastSequence <= this.#sequence) return false;
    const changed = new Set<number>();
    let last = this.#sequence;
    for await (const record of log.read(this.#sequence + 1)) {
      visitChangedNodes(record.payload, (id) => changed.add(id));
      last = record.last;
      if (changed.size >= SEARCH_BATCH_NODES_MAX) break;
    }
    reader.refresh();
    this.#makePlan();
    for (const id of changed) this.#index(id);
    this.#sequence = last;
    return true;
  }

  /** Anew when the schema or the settings have changed. */
  #makePlan(): void {
    const { reader } = this.#options;
    const schema = reader.schema();
    const settings = settingVersion(reader, SEARCH_SETTING);
    if (this.#planned?.schema === schema && this.#planned.settings === settings) return;
    this.#planned = { schema, settings };
    const { numbers } = this.#plan;
    this.#plan = planIndex(readSearchSettings(reader), reader.registry, numbers);
    const digests = new Map(
      [...this.#plan.types.values()].map(({ name, digest }) => [name, digest]),
    );
    const names = new Set([...digests.keys(), ...this.#digests.keys()]);
    for (const name of names) {
      if (digests.get(name) !== this.#digests.get(name)) this.#rebuild.add(name);
    }
    this.#digests = digests;
  }

  #rebuildSome(): boolean {
    if (this.#rebuild.isDone) return false;
    for (const id of this.#rebuild.next(SEARCH_BATCH_NODES_MAX)) this.#index(id);
    if (this.#rebuild.isDone) this.#isWhole = true;
    // Also where the last types had no nodes: that they are done is news.
    return true;
  }

  #index(id: number): void {
    const { reader, index } = this.#options;
    const record = reader.record(id);
    const planned = record === undefined ? undefined : this.#plan.types.get(record.typeId);
    if (record === undefined || planned === undefined) {
      index.remove(id);
    } else {
      const type = reader.nodeTypeOf(record);
      index.add(documentOf(id, record, type, planned, this.#analyzers));
    }
  }
}
