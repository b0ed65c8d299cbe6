import type { Completions, Hover, SignatureHelp } from '@trellis/contract/shapes/editor.ts';
import type { Diagnostic, Remark } from '@trellis/contract/shapes/endpoint.ts';

/** Code, and a place in it: lines and columns start at 1. */
export interface CodePlace {
  readonly code: string;
  readonly line: number;
  readonly column: number;
}

interface Abortable {
  readonly signal?: AbortSignal | undefined;
}

/**
 * What somebody who knows the types says of code that is being written (docs/endpoints.md,
 * "Editors").
 */
export interface EditorServices {
  completions(place: CodePlace, options?: Abortable): Promise<Completions>;
  hover(place: CodePlace, options?: Abortable): Promise<Hover>;
  signatureHelp(place: CodePlace, options?: Abortable): Promise<SignatureHelp>;
  diagnostics(code: string): Promise<readonly (Diagnostic | Remark)[]>;
  /**
   * Told when one of them fails, but for what a newer one has ended; undefined when one has
   * succeeded.
   */
  onTrouble(error: unknown): void;
}
