import { VECTOR_DIMENSIONS_MAX } from '#base/search-limits.ts';
import { Problem } from '#base/problem.ts';
import type { PlannedType, PlannedVector } from '../../settings/index-plan.ts';
import {
  type ChunkInput,
  type VectorIndexStats,
  VectorIndexWriter,
} from '../../vector/index-writer.ts';
import type { VectorIndexHandle } from '../../vector/vector-index.ts';

/** The vectors of one field, as the index thread posts them to search threads. */
export interface VectorFieldSnapshot {
  /** The number of the type in the schema. */
  readonly type: number;
  readonly field: string;
  /** Changes when the vectors move to new memory. */
  readonly generation: number;
  readonly handle: VectorIndexHandle;
}

export interface VectorFieldOptions {
  readonly random: () => number;
  /** Slots of a piece of memory; by default as many as the limit allows. */
  readonly capacity?: number | undefined;
}

const NO_VECTORS: VectorIndexStats = { vectors: 0, deleted: 0, linked: 0, shards: 0 };

/** Names a field with vectors, in files too: a rename does not change it. */
export function vectorKey(
  type: Pick<PlannedType, 'origin'>,
  planned: Pick<PlannedVector, 'origin'>,
): string {
  return `${type.origin}\n${planned.origin}`;
}

/** The vectors of one field of one type. The first one decides the dimensions. */
export class VectorField {
  type: PlannedType;
  planned: PlannedVector;
  readonly #options: VectorFieldOptions;
  #generation: number;
  #writer: VectorIndexWriter | undefined;
  /** Nodes whose value is no vector, or one of another number of dimensions. */
  readonly #unfit = new Set<number>();

  constructor(
    type: PlannedType,
    planned: PlannedVector,
    options: VectorFieldOptions,
    writer: VectorIndexWriter | undefined,
  ) {
    this.type = type;
    this.planned = planned;
    this.#options = options;
    this.#generation = options.random();
    this.#writer = writer;
  }

  get key(): string {
    return vectorKey(this.type, this.planned);
  }

  /** Takes the names of now, in which the vectors stay as they are. */
  name({ type, planned }: Pick<VectorField, 'type' | 'planned'>): void {
    this.type = type;
    this.planned = planned;
  }

  /** Digest of how its vectors are made; when it changes, they are made again. */
  get digest(): string {
    const { model, chunk } = this.planned;
    return JSON.stringify([this.type.id, model, chunk]);
  }

  get writer(): VectorIndexWriter | undefined {
    return this.#writer;
  }

  get stats(): VectorIndexStats & { readonly unfit: number } {
    return { ...(this.#writer?.stats ?? NO_VECTORS), unfit: this.#unfit.size };
  }

  /** Replaces all vectors of the node. */
  put(node: number, chunks: readonly ChunkInput[]): void {
    this.#unfit.delete(node);
    const dimensions = chunks[0]?.vector.length;
    if (dimensions === undefined || !this.#tryPut(node, dimensions, chunks)) {
      this.#writer?.delete(node);
      if (dimensions !== undefined) this.#unfit.add(node);
    }
  }

  #tryPut(node: number, dimensions: number, chunks: readonly ChunkInput[]): boolean {
    if (dimensions > VECTOR_DIMENSIONS_MAX) return false;
    try {
      this.#writerFor(dimensions).put(node, chunks);
      return true;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }

  snapshot(): VectorFieldSnapshot[] {
    if (this.#writer === undefined) return [];
    const { handle } = this.#writer;
    const generation = this.#generation;
    return [{ type: this.type.id, field: this.planned.name, generation, handle }];
  }

  /**
   * Makes another writer if no vectors are left: the dimensions of the first may have been a
   * mistake.
   */
  #writerFor(dimensions: number): VectorIndexWriter {
    const { random, capacity } = this.#options;
    const writer = this.#writer;
    const isFit = writer?.handle.dimensions === dimensions || (writer?.stats.vectors ?? 0) > 0;
    if (writer !== undefined && isFit) return writer;
    this.#generation = random();
    return (this.#writer = new VectorIndexWriter({
      dimensions,
      model: this.planned.model,
      random,
      ...(capacity === undefined ? {} : { capacity }),
    }));
  }
}

/** The files of the vectors between two starts. */
export interface VectorFiles {
  /** Where a restart would continue; set when a save begins, undefined if none is usable. */
  savedSequence: number | undefined;
  /** Undefined if nothing is stored that the log continues. */
  load(): Promise<KeptVectors | undefined>;
  save(fields: readonly VectorField[], progress: VectorProgress): Promise<void>;
}

export interface VectorProgress {
  /** Sequence of the last commit that all fields have. */
  readonly sequence: number;
  /** Nodes whose vectors are not all there yet. */
  readonly waiting: readonly number[];
}

export interface KeptVectors extends VectorProgress {
  /** Undefined if nothing is stored of the field, or its vectors were made in another way. */
  load(field: VectorField): VectorIndexWriter | undefined;
}
