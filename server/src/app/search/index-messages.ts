import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import type { ThreadFailure } from '../thread-failure.ts';

/** What the thread that indexes is started with. It runs no user code, and writes nothing but the files of the index. */
export interface IndexOptions {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  /** Where the process publishes how far it is. */
  readonly sequence: SharedArrayBuffer;
}

export type ToIndex = { readonly kind: 'close' };

export type FromIndex =
  /** There is something new to be found. */
  | { readonly kind: 'snapshot'; readonly snapshot: SearchSnapshot }
  | { readonly kind: 'note'; readonly level: 'info' | 'warn'; readonly text: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly failure: ThreadFailure };
