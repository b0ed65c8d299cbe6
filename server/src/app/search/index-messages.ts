import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import type { WantedText } from '#search/embeddings/embed-texts.ts';

/**
 * What the thread that indexes is started with. It runs no user code, and writes nothing but the
 * files of the index.
 */
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

/** What the thread that indexes is called for. */
export interface IndexCalls {
  /** Looks for embeddings that no text has any more, which `unused` names. */
  sweep(): void;
  /** `texts` follows as soon as there are some; a second call takes the place of the first. */
  nextTexts(max: number): void;
  retryRefused(): void;
  giveBack(returned: ReturnedTexts): void;
  /** Answered once it indexes no more. */
  close(): void;
}

export interface ReturnedTexts {
  readonly keys: readonly string[];
  readonly as: 'again' | 'refused';
}

/** What it tells whoever has started it. */
export interface IndexNotices {
  /** There is something new to be found. */
  snapshot(snapshot: SearchSnapshot): void;
  unused(keys: readonly string[]): void;
  texts(texts: readonly WantedText[]): void;
  note(note: { readonly level: 'debug' | 'info' | 'warn'; readonly text: string }): void;
}
