import type { VectorIndexWriter } from '../../vector/index-writer.ts';
import type { VectorField } from './vector-field.ts';

/** Where vectors are between two starts. */
export interface VectorFiles {
  /** Of what a start would go on from now, from the beginning of its save on; undefined when there is nothing, or it is found to be of no use. */
  savedSequence: number | undefined;
  /** Undefined when there is nothing that the log goes on from. */
  load(): Promise<KeptVectors | undefined>;
  save(fields: readonly VectorField[], progress: VectorProgress): Promise<void>;
}

export interface VectorProgress {
  /** Of the last commit that is in all of them. */
  readonly sequence: number;
  /** Nodes whose vectors are not all there yet. */
  readonly waiting: readonly number[];
}

export interface KeptVectors extends VectorProgress {
  /** Undefined when nothing was kept of it, or what was made in another way. */
  load(field: VectorField): VectorIndexWriter | undefined;
}
