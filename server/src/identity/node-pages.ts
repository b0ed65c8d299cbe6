import type { List } from '@trellis/contract/shapes/list.ts';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { budgetKey, type Caller } from '#access/caller.ts';
import { turns } from '#base/turns.ts';
import type { GraphReader, Visibility } from '#graph/reader.ts';

export interface SearchPage {
  readonly skip: number;
  readonly take: number;
  /** Part of a name, in any case. */
  readonly query?: string | undefined;
}

interface Named {
  readonly id: number;
  readonly name: string;
}

/** Names that are put in order at once. */
const SORTED_AT_ONCE = 512;

export interface PagedNodes {
  readonly reader: GraphReader;
  readonly caller: Caller;
  /** What the caller may see, at the commit that the reader stands at. */
  readonly visibility: () => Visibility;
  /** Ids of the nodes to look at; some may be gone. */
  readonly ids: readonly number[];
  /** Whether it may be on a page. */
  readonly isShown: (id: number) => boolean;
  readonly searched: readonly string[];
}

/**
 * A page of the nodes that the caller may see and that have the text in one of the searched fields,
 * in the order of the first of these. A field that the caller may not read counts as empty. Every
 * node is looked at, in turns of the caller.
 */
export async function pageOfNodes<T extends NodeObject>(
  nodes: PagedNodes,
  { skip, take, query = '' }: SearchPage,
): Promise<List<T>> {
  const { reader, caller, ids, isShown, searched } = nodes;
  const wanted = query.toLowerCase();
  const [orderedBy = 'UID'] = searched;
  let visibility = nodes.visibility();
  const text = (id: number, field: string): string =>
    visibility.canReadField(id, field) ? String(reader.field(id, field) ?? '').toLowerCase() : '';
  const next = async (): Promise<void> => {
    await turns.next(budgetKey(caller));
    reader.refresh();
    visibility = nodes.visibility();
  };
  const found: Named[] = [];
  for (const id of ids) {
    if (turns.isSpent) await next();
    if (!isShown(id)) continue;
    if (wanted === '' || searched.some((field) => text(id, field).includes(wanted))) {
      found.push({ id, name: text(id, orderedBy) });
    }
  }
  const ordered = await inOrder(found, next);
  const items: T[] = [];
  for (const { id } of ordered.slice(skip, skip + take)) {
    if (turns.isSpent) await next();
    const node = isShown(id) ? reader.node(id) : undefined;
    if (node !== undefined) items.push(visibility.present(id, node as T) as T);
  }
  return { items, total: found.length, skip, take };
}

/** Sorts by merging what is in order already, a turn at a time. */
async function inOrder(list: readonly Named[], next: () => Promise<void>): Promise<Named[]> {
  let runs: Named[][] = [];
  for (let at = 0; at < list.length; at += SORTED_AT_ONCE) {
    if (turns.isSpent) await next();
    runs.push(list.slice(at, at + SORTED_AT_ONCE).toSorted(compare));
  }
  while (runs.length > 1) {
    const merged: Named[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(await mergedRuns(runs[i] ?? [], runs[i + 1] ?? [], next));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergedRuns(
  a: readonly Named[],
  b: readonly Named[],
  next: () => Promise<void>,
): Promise<Named[]> {
  const merged: Named[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (merged.length % SORTED_AT_ONCE === 0 && turns.isSpent) await next();
    const [one, other] = [a[i], b[j]];
    if (other === undefined || (one !== undefined && compare(one, other) <= 0)) {
      merged.push(a[i++] as Named);
    } else {
      merged.push(other);
      j++;
    }
  }
  return merged;
}

function compare(a: Named, b: Named): number {
  return a.name === b.name ? a.id - b.id : a.name < b.name ? -1 : 1;
}
