import type { List } from '@trellis/contract/shapes/list.ts';

export interface PageRequest {
  readonly skip?: number;
  /** 1 to 1,000. */
  readonly take?: number;
}

const PAGE_ITEMS = 200;

/**
 * Every item of a list, page by page:
 * `for await (const e of eachItem((page) => client.endpoints.list(page)))`. A page with fewer items
 * than were asked for is the last (specification, section 2.5).
 */
export async function* eachItem<T>(
  list: (page: Required<PageRequest>) => Promise<List<T>>,
  take = PAGE_ITEMS,
): AsyncGenerator<T, void, undefined> {
  for (let skip = 0; ;) {
    const page = await list({ skip, take });
    yield* page.items;
    skip += page.items.length;
    if (page.items.length < take) return;
  }
}
