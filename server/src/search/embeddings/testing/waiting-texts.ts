import { embeddingKey } from '../embedding-record.ts';
import type { WantedText, WantedTexts } from '../embed-texts.ts';

/** Texts that wait, as the index has them. */
export class WaitingTexts implements WantedTexts {
  readonly refused: string[] = [];
  readonly waiting: WantedText[] = [];
  /** How many each asking was for. */
  readonly asked: number[] = [];
  readonly #given = new Map<string, WantedText>();
  #taker: (() => void) | undefined;

  add(...texts: readonly string[]): void {
    this.waiting.push(...texts.map((text) => ({ key: embeddingKey('m', text), model: 'm', text })));
    this.#taker?.();
  }

  async next(max: number, signal: AbortSignal): Promise<readonly WantedText[]> {
    signal.throwIfAborted();
    this.asked.push(max);
    while (this.waiting.length === 0) {
      await new Promise<void>((resolve, reject) => {
        this.#taker = resolve;
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    }
    const given = this.waiting.splice(0, max);
    for (const one of given) this.#given.set(one.key, one);
    return given;
  }

  giveBack(keys: readonly string[], as: 'again' | 'refused'): void {
    const texts = keys.map((key) => this.#given.get(key)!);
    if (as === 'again') this.waiting.push(...texts);
    else this.refused.push(...texts.map(({ text }) => text));
  }

  retryRefused(): void {
    this.add(...this.refused.splice(0));
  }
}
