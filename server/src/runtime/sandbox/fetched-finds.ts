import type { FoundNode, WantedSimilarity, WantedText } from '#graph/query/query-context.ts';
import type { Visibility } from '#graph/reader.ts';
import type { Finders } from './graph-requests.ts';

/** What a query has to find before it can go on: JSON of it goes to where the index is. */
export type WantedFind =
  | { readonly operation: 'findByText'; readonly asUser: boolean; readonly wanted: WantedText }
  | {
      readonly operation: 'findSimilar';
      readonly asUser: boolean;
      readonly wanted: WantedSimilarity;
    };

/** Thrown out of a query that is begun again once there is what it wants. */
export class MissingFind extends Error {
  override readonly name = 'MissingFind';
  /** JSON of a `WantedFind`. */
  readonly wanted: string;

  constructor(wanted: string) {
    super('a query waits for what is found elsewhere');
    this.wanted = wanted;
  }
}

/**
 * Finds by words and vectors for one query in a process that has no index: what was fetched for it.
 * A query finds before it does anything else, so that one which is begun again has lost nothing.
 */
export class FetchedFinds implements Finders {
  readonly #found = new Map<string, readonly FoundNode[]>();

  /** `found` is JSON of the nodes. */
  add(wanted: string, found: string): void {
    this.#found.set(wanted, JSON.parse(found) as readonly FoundNode[]);
  }

  readonly findByText: Finders['findByText'] = (wanted, visibility) =>
    this.#find({ operation: 'findByText', asUser: isUser(visibility), wanted });

  readonly findSimilar: Finders['findSimilar'] = (wanted, visibility) =>
    this.#find({ operation: 'findSimilar', asUser: isUser(visibility), wanted });

  #find(find: WantedFind): readonly FoundNode[] {
    const wanted = JSON.stringify(find);
    const found = this.#found.get(wanted);
    if (found === undefined) throw new MissingFind(wanted);
    return found;
  }
}

function isUser(visibility: Visibility | undefined): boolean {
  return visibility !== undefined;
}
