import type { ExtractedText } from './extract-text.ts';
import type { TextKind } from './text-kind.ts';

/** To the process that takes text out of one file, and what it answers; then it ends. */
export interface ExtractionRequest {
  readonly kind: TextKind;
  readonly bytes: Uint8Array;
}

export type ExtractionAnswer =
  | ExtractedText
  /** What is wrong with the file, for people. */
  | { readonly failure: string };

/** Status of the process when it took too much memory. */
export const OUT_OF_MEMORY = 77;
