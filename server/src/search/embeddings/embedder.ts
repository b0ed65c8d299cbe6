import { must } from '#base/assert.ts';
import { untilAborted } from '#base/unless-aborted.ts';
import type { Clock } from '#base/clock.ts';
import {
  EMBEDDING_BATCH_CHARACTERS_MAX,
  EMBEDDING_BATCH_TEXTS_MAX,
  EMBEDDING_RETRY_AFTER_MAX_MS,
  EMBEDDING_RETRY_DELAY_MAX_MS,
  EMBEDDING_RETRY_DELAY_MIN_MS,
} from '#base/search-limits.ts';
import type { CommitPort } from '#graph/operations.ts';
import {
  EmbeddingFailure,
  type EmbedTexts,
  type WantedText,
  type WantedTexts,
} from './embed-texts.ts';
import { embeddingOperation } from './embedding-record.ts';

export interface EmbedderParts {
  readonly wanted: WantedTexts;
  readonly provider: EmbedTexts;
  readonly commits: CommitPort;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Ends early, without an error, when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called once, with the error that stops it. */
  readonly onFailure: (error: unknown) => void;
}

/** How the work goes since the process started. */
export interface EmbedderState {
  /** `off`: there is no provider. `waiting`: it failed, and is asked again at `retryAt`. */
  readonly status: 'off' | 'idle' | 'working' | 'waiting';
  readonly embedded: number;
  /** Texts that the provider does not take. */
  readonly refused: number;
  /** Null after a batch without an error. */
  readonly lastError: string | null;
  /** ISO 8601, UTC. */
  readonly retryAt: string | null;
}

/** A text that every working provider takes. */
const PROBE = 'Trellis';

/**
 * Embeds the texts that the index waits for and commits their vectors, one batch at a time; on a
 * primary only.
 */
export class Embedder implements AsyncDisposable {
  readonly #parts: EmbedderParts;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  /** Aborted when the settings change: what waits or is being asked for starts over. */
  #changing = new AbortController();
  #isWorking = false;
  #embedded = 0;
  #refused = 0;
  #lastError: string | null = null;
  #toldError: string | undefined;
  #retryAt: number | null = null;
  #delayMs = EMBEDDING_RETRY_DELAY_MIN_MS;
  /** How many texts the provider takes at a time. */
  #textsMax = EMBEDDING_BATCH_TEXTS_MAX;

  constructor(parts: EmbedderParts) {
    this.#parts = parts;
    this.#ended = this.#run();
  }

  get state(): EmbedderState {
    const retryAt = this.#retryAt === null ? null : new Date(this.#retryAt).toISOString();
    const status = this.#isWorking ? 'working' : retryAt === null ? 'idle' : 'waiting';
    return {
      status: this.#parts.provider.isConfigured() ? status : 'off',
      embedded: this.#embedded,
      refused: this.#refused,
      lastError: this.#lastError,
      retryAt,
    };
  }

  /** Call it when the provider, or what is wanted of it, may have changed. */
  settingsChanged(): void {
    this.#changing.abort(new Error('the settings have changed'));
    this.#changing = new AbortController();
    this.#lastError = null;
    this.#toldError = undefined;
    this.#delayMs = EMBEDDING_RETRY_DELAY_MIN_MS;
    this.#textsMax = EMBEDDING_BATCH_TEXTS_MAX;
    this.#parts.wanted.retryRefused();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('the embedder is closed'));
    await this.#ended;
  }

  async #run(): Promise<void> {
    const closing = this.#closing.signal;
    while (!closing.aborted) {
      await this.#untilConfigured();
      let { signal } = this.#closing;
      try {
        const batch = await this.#parts.wanted.next(this.#textsMax, signal);
        signal = AbortSignal.any([closing, this.#changing.signal]);
        this.#isWorking = true;
        await this.#embedAll(batch, signal);
        this.#delayMs = EMBEDDING_RETRY_DELAY_MIN_MS;
        this.#toldError = undefined;
        this.#isWorking = false;
      } catch (error) {
        this.#isWorking = false;
        if (!signal.aborted) await this.#waitAfter(error, signal);
      }
    }
  }

  async #untilConfigured(): Promise<void> {
    for (;;) {
      const signal = AbortSignal.any([this.#closing.signal, this.#changing.signal]);
      if (this.#closing.signal.aborted || this.#parts.provider.isConfigured()) return;
      await untilAborted(signal);
    }
  }

  /** Embeds a batch, and gives back the texts that have no vector at the end. */
  async #embedAll(batch: readonly WantedText[], signal: AbortSignal): Promise<void> {
    const { wanted } = this.#parts;
    const waiting = slices(batch).toReversed();
    let isProbed = false;
    let refusedLength = Infinity;
    let refusal: string | null = null;
    try {
      for (let part = waiting.at(-1); part !== undefined; part = waiting.at(-1)) {
        const refused = await this.#embed(part, signal);
        if (refused !== undefined && !isProbed) {
          await this.#probe(part, signal);
          isProbed = true;
        }
        waiting.pop();
        if (refused === undefined) continue;
        if (part.length === 1) {
          refusal = refused.message;
          this.#refused++;
          wanted.giveBack(keysOf(part), 'refused');
          continue;
        }
        refusedLength = Math.min(refusedLength, part.length);
        const middle = Math.ceil(part.length / 2);
        waiting.push(part.slice(middle), part.slice(0, middle));
      }
    } finally {
      if (waiting.length > 0) wanted.giveBack(keysOf(waiting.flat()), 'again');
    }
    this.#lastError = refusal;
    // No single text was refused: there were too many.
    if (refusal === null && refusedLength < Infinity) {
      this.#textsMax = Math.ceil(refusedLength / 2);
    }
  }

  /** Makes one request and one commit. Returns the failure if the provider refuses. */
  async #embed(
    part: readonly WantedText[],
    signal: AbortSignal,
  ): Promise<EmbeddingFailure | undefined> {
    const { provider, commits } = this.#parts;
    const { model } = must(part[0], 'a text of the batch');
    const texts = part.map(({ text }) => text);
    let vectors: Float32Array[];
    try {
      vectors = await provider.embed(texts, model, signal);
    } catch (error) {
      if (error instanceof EmbeddingFailure && error.reason === 'refused') return error;
      throw error;
    }
    const operations = part.map(({ key }, i) =>
      embeddingOperation(key, model, must(vectors[i], 'a vector of each text')),
    );
    await commits.commit({ system: true, operations });
    this.#embedded += part.length;
    return undefined;
  }

  /**
   * Throws if the texts are not the cause: some servers answer a wrong key or model as a bad
   * request.
   */
  async #probe([first]: readonly WantedText[], signal: AbortSignal): Promise<void> {
    const { model } = must(first, 'a text of the batch');
    await this.#parts.provider.embed([PROBE], model, signal);
  }

  async #waitAfter(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, random, pause, onFailure } = this.#parts;
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#toldError) onFailure(error);
    this.#toldError = message;
    this.#lastError = message;
    const asked = (error instanceof EmbeddingFailure ? error.retryAfterMs : undefined) ?? 0;
    // Half of it is random, so that servers that failed together do not retry together.
    const delayMs = this.#delayMs * (0.5 + random() / 2);
    this.#delayMs = Math.min(this.#delayMs * 2, EMBEDDING_RETRY_DELAY_MAX_MS);
    const waitMs = Math.max(delayMs, Math.min(asked, EMBEDDING_RETRY_AFTER_MAX_MS));
    this.#retryAt = clock.now() + waitMs;
    await pause(waitMs, signal);
    this.#retryAt = null;
  }
}

function keysOf(texts: readonly WantedText[]): string[] {
  return texts.map(({ key }) => key);
}

/** Slices of the batch in order, each within the characters of a request. */
function slices(batch: readonly WantedText[]): WantedText[][] {
  const all: WantedText[][] = [];
  let characters = Infinity;
  for (const wanted of batch) {
    characters += wanted.text.length;
    if (characters > EMBEDDING_BATCH_CHARACTERS_MAX) {
      all.push([]);
      characters = wanted.text.length;
    }
    all.at(-1)?.push(wanted);
  }
  return all;
}
