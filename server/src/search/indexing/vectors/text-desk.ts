import type { WantedText, WantedTexts } from '../../embeddings/embed-texts.ts';
import type { OnUnused } from './embedding-sweep.ts';
import type { VectorIndexer } from './vector-indexer.ts';

/** Where texts are asked for that wait for their vectors: see `WantedTexts`. One asks at a time. */
export class TextDesk {
  #indexer: VectorIndexer | undefined;
  #onChange = (): void => {};
  #asked:
    | { readonly max: number; readonly answer: (texts: readonly WantedText[]) => void }
    | undefined;

  /** Answers at once when there are texts, or as soon as there are. */
  ask(max: number, answer: (texts: readonly WantedText[]) => void): void {
    this.#asked = { max, answer };
    this.#answer();
  }

  giveBack(keys: readonly string[], as: Parameters<WantedTexts['giveBack']>[1]): void {
    this.#indexer?.waiting.giveBack(keys, as);
    this.#answer();
    this.#onChange();
  }

  retryRefused(): void {
    this.#indexer?.waiting.retryRefused();
    this.#answer();
    this.#onChange();
  }

  /** See `VectorIndexer.sweep`; nothing while there is no index. */
  sweep(onUnused: OnUnused): void {
    this.#indexer?.sweep(onUnused);
    this.#onChange();
  }

  /** To be called when there may be more. `onChange` is called when there is work to do, or something to be told. */
  serve(indexer: VectorIndexer, onChange: () => void): void {
    this.#indexer = indexer;
    this.#onChange = onChange;
    this.#answer();
  }

  #answer(): void {
    if (this.#asked === undefined || this.#indexer?.waiting.hasWanted !== true) return;
    const { max, answer } = this.#asked;
    const texts = this.#indexer.nextTexts(max);
    if (texts.length === 0) return;
    this.#asked = undefined;
    answer(texts);
  }
}
