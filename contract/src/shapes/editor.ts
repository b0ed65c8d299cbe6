import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { endpointDraft } from './endpoint.ts';

/** Lines and columns start at 1, as those of a diagnostic; a column counts units of UTF-16. */
const place = z.strictObject({ line: z.int().min(1), column: z.int().min(1) });

/** Code and a place in it: before the character in that column, or after the last of the line. */
export const editorPlace = endpointDraft.extend(place.shape);
export type EditorPlace = Immutable<z.infer<typeof editorPlace>>;

/**
 * The kinds of the Language Server Protocol 3.17 (`CompletionItemKind`), in the order of its
 * numbers, from 1.
 */
export const COMPLETION_KINDS = [
  'text',
  'method',
  'function',
  'constructor',
  'field',
  'variable',
  'class',
  'interface',
  'module',
  'property',
  'unit',
  'value',
  'enum',
  'keyword',
  'snippet',
  'color',
  'file',
  'reference',
  'folder',
  'enumMember',
  'constant',
  'struct',
  'event',
  'operator',
  'typeParameter',
] as const;

export const completions = z.strictObject({
  items: z.array(
    z.strictObject({
      /** What to show; to insert, too, where there is no `insertText`. */
      label: z.string(),
      kind: z.enum(COMPLETION_KINDS),
      /** Its type. */
      detail: z.string().optional(),
      documentation: z.string().optional(),
      insertText: z.string().optional(),
      /** By which the items are in order, then by `label`. */
      sortText: z.string().optional(),
    }),
  ),
  /** Whether there are more than those given: ask again when more of the word is there. */
  isIncomplete: z.boolean(),
});
export type Completions = Immutable<z.infer<typeof completions>>;

/** Null where there is nothing to say. */
export const hover = z
  .strictObject({
    /** A declaration in TypeScript. */
    contents: z.string(),
    documentation: z.string().optional(),
    /** From before its first character to after its last. */
    range: z.strictObject({ start: place, end: place }),
  })
  .nullable();
export type Hover = Immutable<z.infer<typeof hover>>;

/** Null outside the parentheses of a call. */
export const signatureHelp = z
  .strictObject({
    signatures: z.array(
      z.strictObject({
        label: z.string(),
        /** The label of each is a part of that of the signature. */
        parameters: z.array(
          z.strictObject({ label: z.string(), documentation: z.string().optional() }),
        ),
        documentation: z.string().optional(),
      }),
    ),
    /** From 0; the one whose types are those of the call. */
    activeSignature: z.int().min(0),
    activeParameter: z.int().min(0),
  })
  .nullable();
export type SignatureHelp = Immutable<z.infer<typeof signatureHelp>>;
