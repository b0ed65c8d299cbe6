import type { VectorFieldState } from '../search-snapshot.ts';
import type { Clock } from '#base/clock.ts';
import {
  VECTOR_CHUNKS_MAX,
  VECTOR_RETIRED_KEPT_MS,
  VECTOR_WORK_STEPS,
} from '#base/search-limits.ts';
import type { GraphReader } from '#graph/reader.ts';
import { chunksOf, embeddingKey, readEmbedding } from '../../embeddings/embedding-record.ts';
import type { WantedText, WantedTexts } from '../../embeddings/embed-texts.ts';
import type { PlannedType, PlannedVector } from '../../settings/index-plan.ts';
import type { ChunkInput } from '../../vector/index-writer.ts';
import { EmbeddingSweep, type OnUnused, WaitingTexts } from './waiting-texts.ts';
import {
  type KeptVectors,
  VectorField,
  type VectorFieldOptions,
  type VectorFieldSnapshot,
  vectorKey,
} from './vector-field.ts';

export interface VectorIndexerOptions extends VectorFieldOptions {
  readonly reader: GraphReader;
  readonly clock: Clock;
}

/** Types, by name, and single nodes whose vectors have to be made again. */
export interface VectorsToMake {
  readonly types: ReadonlySet<string>;
  readonly nodes: readonly number[];
}

/**
 * Keeps the vectors of nodes: those in the nodes, and those of their texts. Texts without a vector
 * wait, and are handed out to be embedded.
 */
export class VectorIndexer {
  readonly waiting = new WaitingTexts();
  readonly #options: VectorIndexerOptions;
  readonly #fields = new Map<string, VectorField>();
  #kept: KeptVectors | undefined;
  #sweep: EmbeddingSweep | undefined;
  #retiredAtMs: number | undefined;
  #copies = 0;

  constructor(options: VectorIndexerOptions, kept?: KeptVectors) {
    this.#options = options;
    this.#kept = kept;
  }

  get fields(): readonly VectorField[] {
    return [...this.#fields.values()];
  }

  /**
   * Takes the fields of a plan. Returns what has to be set again, as texts may no longer wait under
   * it.
   */
  plan(types: Iterable<PlannedType>): VectorsToMake {
    const before = new Map(this.#fields);
    const anew = new Set<string>();
    this.#fields.clear();
    for (const type of types) {
      for (const planned of type.vectors) {
        const field = new VectorField(type, planned, this.#options, undefined);
        const known = before.get(field.key);
        const isKnown = known !== undefined && known.digest === field.digest;
        if (isKnown) known.name(field);
        const opened = isKnown ? known : this.#load(field);
        this.#fields.set(field.key, opened ?? field);
        if (opened === undefined) anew.add(type.name);
      }
    }
    this.#kept = undefined;
    const isSame = [...before].every(([key, field]) => this.#fields.get(key) === field);
    return { types: anew, nodes: isSame ? [] : this.waiting.nodes() };
  }

  /** Sets the vectors of a changed node. `values` are those of the planned fields of its type. */
  set(node: number, type: PlannedType, values: readonly unknown[]): void {
    this.waiting.release(node);
    for (const [i, planned] of type.vectors.entries()) {
      const field = this.#fields.get(vectorKey(type, planned));
      field?.put(node, this.#chunksOf(node, planned, values[i]));
    }
  }

  delete(node: number): void {
    this.waiting.release(node);
    for (const field of this.#fields.values()) field.put(node, []);
  }

  /** Begins to look for embeddings that no text has any more. */
  sweep(onUnused: OnUnused): void {
    const { reader, clock } = this.#options;
    const types = new Set(
      this.fields.filter(({ planned }) => planned.chunk !== undefined).map(({ type }) => type.name),
    );
    this.#sweep = new EmbeddingSweep({
      reader,
      startedAtMs: clock.now(),
      types: [...types],
      keysOf: (node) => this.#keysOf(node),
      onUnused,
    });
  }

  /** Does a little of the other work; true if there is more. */
  work(): boolean {
    const fields = this.fields;
    if (this.#sweep?.step() === false) this.#sweep = undefined;
    const isBusy = fields.some(({ writer }) => writer?.work(VECTOR_WORK_STEPS) === true);
    this.#releaseRetired(fields);
    return isBusy || this.#sweep !== undefined;
  }

  /** See `WaitingTexts.next`. */
  nextTexts(max: number): readonly WantedText[] {
    return this.waiting.next(max, (node, model) => this.#textsOf(node, model));
  }

  snapshot(): readonly VectorFieldSnapshot[] {
    return this.fields.flatMap((field) => field.snapshot());
  }

  state(): readonly VectorFieldState[] {
    return this.fields.map(({ type, planned, stats, writer }) => ({
      type: type.name,
      field: planned.name,
      model: planned.model,
      dimensions: writer?.handle.dimensions ?? null,
      vectors: stats.vectors,
      unfit: stats.unfit,
    }));
  }

  #load(field: VectorField): VectorField | undefined {
    const writer = this.#kept?.load(field);
    if (writer === undefined) return undefined;
    return new VectorField(field.type, field.planned, this.#options, writer);
  }

  #chunksOf(node: number, planned: PlannedVector, value: unknown): ChunkInput[] {
    const { model, chunk } = planned;
    if (chunk === undefined) return isVector(value) ? [{ chunk: 0, vector: value }] : [];
    const chunks: ChunkInput[] = [];
    for (const [number, text] of textChunks(value, chunk).entries()) {
      const key = embeddingKey(model, text);
      this.#sweep?.use(key);
      const vector = readEmbedding(this.#options.reader, key);
      if (vector === undefined) this.waiting.add(key, model, node);
      else chunks.push({ chunk: number, vector });
    }
    return chunks;
  }

  *#keysOf(node: number): Generator<string> {
    const models = new Set(this.fields.map(({ planned }) => planned.model));
    for (const model of models) {
      for (const text of this.#textsOf(node, model)) yield embeddingKey(model, text);
    }
  }

  *#textsOf(node: number, model: string): Generator<string> {
    const { reader } = this.#options;
    const typeName = reader.typeOf(node);
    for (const { type, planned } of this.#fields.values()) {
      if (type.name !== typeName || planned.model !== model || planned.chunk === undefined)
        continue;
      yield* textChunks(reader.field(node, planned.name), planned.chunk);
    }
  }

  /** Readers open the newest vectors for each search, and searches end long before this. */
  #releaseRetired(fields: readonly VectorField[]): void {
    const copies = fields.reduce((sum, { writer }) => sum + (writer?.handle.version ?? 0), 0);
    const now = this.#options.clock.now();
    if (copies !== this.#copies) {
      this.#copies = copies;
      this.#retiredAtMs = now;
    } else if (
      this.#retiredAtMs !== undefined &&
      now - this.#retiredAtMs > VECTOR_RETIRED_KEPT_MS
    ) {
      this.#retiredAtMs = undefined;
      for (const { writer } of fields) writer?.releaseRetired();
    }
  }
}

/** The pieces of all texts of a value, in their order. */
export function textChunks(value: unknown, charactersMax: number): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values
    .filter((one) => typeof one === 'string')
    .flatMap((text) => chunksOf(text, charactersMax))
    .slice(0, VECTOR_CHUNKS_MAX);
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0;
}

/** Hands out texts that wait for their vectors (see `WantedTexts`). One asks at a time. */
export class TextDesk {
  #indexer: VectorIndexer | undefined;
  #onChange = (): void => {};
  #asked:
    | { readonly max: number; readonly answer: (texts: readonly WantedText[]) => void }
    | undefined;

  /** Answers as soon as there are texts. */
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

  /**
   * Call it when there may be more texts. It calls `onChange` when there is work, or news to
   * publish.
   */
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
