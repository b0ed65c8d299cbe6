import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';

type Follower = (snapshot: SearchSnapshot) => void;

/** What can be found, for pools that come and go. */
export class SearchFeed {
  readonly #followers = new Set<Follower>();
  #newest: SearchSnapshot | undefined;

  receive(snapshot: SearchSnapshot): void {
    this.#newest = snapshot;
    for (const follower of this.#followers) follower(snapshot);
  }

  /** Tells the newest there is, and each one after it until it is disposed. */
  follow(follower: Follower): Disposable {
    if (this.#newest !== undefined) follower(this.#newest);
    this.#followers.add(follower);
    return { [Symbol.dispose]: () => this.#followers.delete(follower) };
  }
}
