import { FILE_TYPE } from '#graph/file-nodes.ts';
import type { Visibility } from '#graph/reader.ts';
import { SEARCH_FILE_SIGHT_MS, SEARCH_SIGHTS_MAX } from '#base/search-limits.ts';
import type { IndexView } from '../text/index-view.ts';
import { Sight } from '../text/seen-view.ts';
import { VisibleFields } from '../text/visible-fields.ts';
import type { OpenedSnapshot } from './opened-snapshot.ts';

interface Seer {
  readonly snapshot: OpenedSnapshot;
  readonly visibility: Visibility;
  /** Of the visibility. */
  readonly sight: string;
  readonly nowMs: number;
}

interface Known {
  readonly sight: Sight;
  /** As it was seen last. */
  of: OpenedSnapshot | undefined;
  seen: OpenedSnapshot | undefined;
}

/** What those who searched last in this thread see of the index. */
export class Sights {
  /** The one asked for last is the last. */
  readonly #known = new Map<string, Known>();

  /** For the next snapshot: the one before is let go of. */
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
      // What is searched no more is in no answer: until it is dropped, it does not count.
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
    .flatMap(({ id, name, texts }) =>
      texts
        .filter((text) => !visibility.canReadFieldOfType(name, text.name))
        .map(({ field }) => `${id} ${field}`),
    );
}

/** Who sees a file hangs on the nodes that it hangs on: it is looked at again every so often. */
function momentOf({ snapshot, nowMs }: Seer): number {
  return snapshot.type(FILE_TYPE) === undefined ? 0 : Math.floor(nowMs / SEARCH_FILE_SIGHT_MS);
}
