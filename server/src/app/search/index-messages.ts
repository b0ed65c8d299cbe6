import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import type { WantedText } from '#search/embeddings/embed-texts.ts';
import type { ThreadFailure } from '../thread-failure.ts';

/** What the thread that indexes is started with. It runs no user code, and writes nothing but the files of the index. */
export interface IndexOptions {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  /** Of `Followers`: how far the state is, and where the indexes say what they need of the log. */
  readonly followers: SharedArrayBuffer;
  /** Budget of memory for the index; bytes. */
  readonly memoryBytesMax: number;
  /** That build an index; with 1 the thread that indexes does it alone. */
  readonly buildThreads: number;
}

/** What one thread of several, one after the other, is started with. */
export interface IndexThreadOptions extends IndexOptions {
  /** Other threads know segments of the thread before by smaller numbers. */
  readonly firstSegment: number;
}

export type ToIndex =
  | { readonly kind: 'close' }
  /** Looks for embeddings that no text has any more, which `unused` names. */
  | { readonly kind: 'sweep' }
  /** Answered with `texts` as soon as there are some; a second one takes the place of the first. */
  | { readonly kind: 'next-texts'; readonly max: number }
  | { readonly kind: 'retry-refused' }
  | {
      readonly kind: 'give-back';
      readonly keys: readonly string[];
      readonly as: 'again' | 'refused';
    };

export type FromIndex =
  /** There is something new to be found. */
  | { readonly kind: 'snapshot'; readonly snapshot: SearchSnapshot }
  | { readonly kind: 'unused'; readonly keys: readonly string[] }
  | { readonly kind: 'texts'; readonly texts: readonly WantedText[] }
  | { readonly kind: 'note'; readonly level: 'debug' | 'info' | 'warn'; readonly text: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly failure: ThreadFailure };
