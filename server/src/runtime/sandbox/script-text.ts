import { parse } from 'es-module-lexer/js';

/**
 * The text that a worker compiles: an expression that gives a function, which gives the endpoint
 * when it is called.
 */
export function wrapScript(script: string): string {
  return `${PREFIX}${script}\n})`;
}

const PREFIX = "(function () { 'use strict'; ";

/** Offset of the compiled text, so that the columns of the first line stay as they were. */
export const SCRIPT_COLUMN_OFFSET = -PREFIX.length;

/**
 * The reason why a worker must not load this text, or undefined.
 *
 * `import()` rejects with an object of the worker's own realm, and there is no switch that stops
 * it: so it must not be in the text. The compiler has looked for it in the source already; this is
 * the same rule on the exact text that is loaded. A lexer for modules does not know that `<!--` and
 * `-->` begin comments in scripts, so these may not stand beside the word. The lexer's `init` has
 * to be awaited before.
 */
export function faultOfScriptText(text: string): string | undefined {
  const [imports, exports] = parse(text);
  if (imports.length > 0 || exports.length > 0) return 'it imports or exports';
  return /<!--|-->/.test(text) && /\bimport\b/.test(text) ? 'it may hide an import' : undefined;
}
