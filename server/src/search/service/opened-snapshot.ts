import { ANY_LANGUAGE } from '@trellis/contract/languages.ts';
import { FILE_TYPE } from '#graph/file-nodes.ts';
import type { Visibility } from '#graph/reader.ts';
import type { SchemaRegistry } from '#graph/schema-registry.ts';
import { SEARCH_FILE_SIGHT_MS, SEARCH_SIGHTS_MAX } from '#base/search-limits.ts';
import type { Analyzer } from '../analysis/analyzer.ts';
import type { Analyzers } from '../analysis/language-analyzer.ts';
import type { ConnectionPages } from '../indexing/connections.ts';
import type { SearchSnapshot } from '../indexing/search-snapshot.ts';
import type { PlannedText, PlannedType, PlannedVector } from '../settings/index-plan.ts';
import { namedNow } from '../settings/named-now.ts';
import { AUTO_LANGUAGE } from '../settings/search-settings.ts';
import { IndexView } from '../text/index-view.ts';
import { SeenView, Sight } from '../text/seen-view.ts';
import type { OpenPages } from '../text/segment-bytes.ts';
import { VisibleFields } from '../text/visible-fields.ts';
import { must } from '#base/assert.ts';
import type { VectorFieldSnapshot } from '../indexing/vectors/vector-field.ts';
import { openVectorIndex } from '../vector/index-reader.ts';
import type { VectorIndex } from '../vector/vector-index.ts';

interface SnapshotParts extends Pick<OpenedSnapshot, 'view' | 'types' | 'vectors' | 'connections'> {
  readonly analyzers: Analyzers;
  readonly sights: Sights;
}

/** A snapshot of the index, opened in this thread, as somebody sees it. */
export class OpenedSnapshot {
  readonly view: IndexView;
  readonly types: readonly PlannedType[];
  /** One for each field that has vectors. */
  readonly vectors: readonly OpenedVectors[];
  readonly connections: ConnectionPages;
  readonly #byName: ReadonlyMap<string, PlannedType>;
  readonly #analyzers: Analyzers;
  readonly #sights: Sights;
  #languages: readonly string[] | undefined;
  #named: { readonly by: SchemaRegistry; readonly snapshot: OpenedSnapshot } | undefined;

  private constructor(parts: SnapshotParts) {
    const { view, types, vectors, analyzers, sights } = parts;
    this.connections = parts.connections;
    this.view = view;
    this.types = types;
    this.vectors = vectors;
    this.#byName = new Map(types.map((type) => [type.name, type]));
    this.#analyzers = analyzers;
    this.#sights = sights;
  }

  /** Reuses what is known of the `previous` snapshot. Throws an `UnreadableSegmentError`. */
  static open(
    { plan, view, vectors, connections }: SearchSnapshot,
    { analyzers, openPages }: { readonly analyzers: Analyzers; readonly openPages?: OpenPages },
    previous?: OpenedSnapshot,
  ): OpenedSnapshot {
    return new OpenedSnapshot({
      view: IndexView.open(view, previous?.view, openPages),
      types: [...plan.types.values()],
      connections,
      vectors: openVectors(vectors, plan.types, previous?.vectors),
      analyzers,
      sights: previous === undefined ? new Sights() : previous.#sights.forNext(),
    });
  }

  /** The same by the names that a schema has. */
  namedBy(registry: SchemaRegistry): OpenedSnapshot {
    const by = registry.notWatched;
    if (this.#named?.by === by) return this.#named.snapshot;
    const present = this.types.filter(({ id }) => !by.isHiddenNodeType(id));
    const named = new Map(present.map((type) => [type, namedNow(type, by.nodeTypes[type.id - 1])]));
    const isSame =
      present.length === this.types.length &&
      [...named].every(([before, after]) => before === after);
    const snapshot = isSame ? this : this.#withTypes(named);
    this.#named = { by, snapshot };
    return snapshot;
  }

  #withTypes(named: ReadonlyMap<PlannedType, PlannedType>): OpenedSnapshot {
    const vectors = this.vectors.flatMap((opened): OpenedVectors[] => {
      const type = named.get(opened.type);
      if (type === undefined) return [];
      const place = opened.type.vectors.indexOf(opened.field);
      return [{ ...opened, type, field: must(type.vectors[place], 'a field with vectors') }];
    });
    return new OpenedSnapshot({
      view: this.view,
      types: [...named.values()],
      vectors,
      connections: this.connections,
      analyzers: this.#analyzers,
      sights: this.#sights,
    });
  }

  /** The same as somebody sees it at this moment, `nowMs` since the Unix epoch. */
  seenBy(visibility: Visibility | undefined, nowMs: number): OpenedSnapshot {
    const names = this.types.map(({ name }) => name);
    const sight = visibility?.sightOf(names);
    if (visibility === undefined || sight === undefined) return this;
    return this.#sights.snapshotFor({ snapshot: this, visibility, sight, nowMs }, (view) =>
      view === this.view ? this : this.#withView(view),
    );
  }

  #withView(view: IndexView): OpenedSnapshot {
    const { types, vectors, connections } = this;
    const sights = this.#sights;
    return new OpenedSnapshot({
      view,
      types,
      vectors,
      connections,
      analyzers: this.#analyzers,
      sights,
    });
  }

  type(name: string): PlannedType | undefined {
    return this.#byName.get(name);
  }

  /** Analyzers of the named language, or of all; plus that of unknown language if texts have it. */
  analyzers(language: string | undefined): Analyzer[] {
    const languages = language === undefined ? this.languages : [language];
    const isUnsure = this.languages.includes(ANY_LANGUAGE) && !languages.includes(ANY_LANGUAGE);
    return [...languages, ...(isUnsure ? [ANY_LANGUAGE] : [])].map((one) =>
      this.#analyzers.for(one),
    );
  }

  /** The analyzer that a text of a document was indexed with. */
  analyzerOf({ language }: PlannedText, ofDocument: string): Analyzer {
    return this.#analyzers.for(language === AUTO_LANGUAGE ? ofDocument : language);
  }

  /** At least one. */
  get languages(): readonly string[] {
    if (this.#languages !== undefined) return this.#languages;
    const found = new Set<string>();
    for (const part of this.view.parts.keys()) {
      for (const language of languagesOf(this.view, part)) found.add(language);
    }
    for (const { texts } of this.types) {
      for (const { language } of texts) if (language !== AUTO_LANGUAGE) found.add(language);
    }
    return (this.#languages = found.size === 0 ? [ANY_LANGUAGE] : [...found].toSorted());
  }
}

/** Only documents that count: a deleted or hidden one must not change what a query finds. */
function languagesOf(view: IndexView, part: number): ReadonlySet<string> {
  const { segment, tombstones } = view.parts[part]!;
  const { count, languages, languageNames } = segment.documents;
  if (!(view instanceof SeenView) && tombstones.deletedCount === 0) return new Set(languageNames);
  const found = new Set<string>();
  for (let document = 0; document < count && found.size < languageNames.length; document++) {
    if (view.isCounted(part, document)) found.add(languageNames[languages[document]!]!);
  }
  return found;
}

interface Seer {
  readonly snapshot: OpenedSnapshot;
  readonly visibility: Visibility;
  /** Key of the visibility. */
  readonly sight: string;
  readonly nowMs: number;
}

interface Known {
  readonly sight: Sight;
  /** As it was seen last. */
  of: OpenedSnapshot | undefined;
  seen: OpenedSnapshot | undefined;
}

/** Caches what the last searchers in this thread see of the index. */
class Sights {
  /** Last used at the end. */
  readonly #known = new Map<string, Known>();

  /** For the next snapshot; releases the one before. */
  forNext(): this {
    for (const known of this.#known.values()) known.of = known.seen = undefined;
    return this;
  }

  snapshotFor(seer: Seer, make: (view: IndexView) => OpenedSnapshot): OpenedSnapshot {
    const { snapshot, visibility } = seer;
    const hidden = hiddenFields(seer);
    const key = [seer.sight, momentOf(seer), ...hidden].join('; ');
    const known = this.#take(key, hidden);
    if (known.of === snapshot && known.seen !== undefined) return known.seen;
    const names = new Map(snapshot.types.map(({ id, name }) => [id, name]));
    const view = known.sight.of(
      snapshot.view,
      // Types that are no longer searched do not count, though they are still in the index.
      (node, type) => names.has(type) && visibility.canSee(node, names.get(type)),
      (type) => !names.has(type) || visibility.mayHideOfType(names.get(type)!),
    );
    known.of = snapshot;
    known.seen = make(view);
    return known.seen;
  }

  #take(key: string, hidden: readonly string[]): Known {
    const known = this.#known.get(key) ?? newSight(hidden);
    this.#known.delete(key);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= SEARCH_SIGHTS_MAX) this.#known.delete(oldest);
    this.#known.set(key, known);
    return known;
  }
}

function newSight(hidden: readonly string[]): Known {
  const fields = new Set(hidden);
  const visible = new VisibleFields((type, field) => !fields.has(`${type} ${field}`));
  return {
    sight: new Sight(fields.size === 0 ? undefined : visible),
    of: undefined,
    seen: undefined,
  };
}

/** Pairs of type and field, by their ids, that are withheld. */
function hiddenFields({ snapshot, visibility }: Seer): readonly string[] {
  return snapshot.types
    .filter(({ name }) => visibility.withholdsFields(name))
    .flatMap(({ id, name, texts, names }) =>
      [...texts, ...names]
        .filter((text) => !visibility.canReadFieldOfType(name, text.name))
        .map(({ field }) => `${id} ${field}`),
    );
}

/**
 * Who sees a file depends on the nodes it belongs to, so this is computed again from time to time.
 */
function momentOf({ snapshot, nowMs }: Seer): number {
  return snapshot.type(FILE_TYPE) === undefined ? 0 : Math.floor(nowMs / SEARCH_FILE_SIGHT_MS);
}

/** The vectors of one field of one type, opened in this thread. */
export interface OpenedVectors {
  readonly type: PlannedType;
  readonly field: PlannedVector;
  readonly index: VectorIndex;
  readonly generation: number;
  readonly version: number;
}

/** Keeps vectors open whose memory is the same. `types`: by number. */
export function openVectors(
  snapshots: readonly VectorFieldSnapshot[],
  types: ReadonlyMap<number, PlannedType>,
  previous: readonly OpenedVectors[] = [],
): readonly OpenedVectors[] {
  return snapshots.map(({ type: id, field: name, generation, handle }) => {
    const type = must(types.get(id), 'the type of a vector field');
    const field = must(
      type.vectors.find((one) => one.name === name),
      'a planned field with vectors',
    );
    const { version } = handle;
    const open = previous.find((one) => one.generation === generation && one.version === version);
    const index = open?.index ?? openVectorIndex(handle);
    return { type, field, index, generation, version };
  });
}
