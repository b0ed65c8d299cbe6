import { parse } from 'es-module-lexer/js';

/** A script in a realm that has no module loader: the body of a function. */
export interface ScriptText {
  readonly script: string;
  /** How its function takes what it imports; empty for nothing. */
  readonly parameters: string;
}

/**
 * The text that a worker compiles: an expression that gives a function, which gives the endpoint,
 * or the exports of a module, when it is called with what it imports.
 */
export function wrapScript({ script, parameters }: ScriptText): string {
  return `${headOf(parameters)}${script}\n})`;
}

/** Of the compiled text, so that the columns of the first line stay as they were. */
export function scriptColumnOffset(parameters: string): number {
  return -headOf(parameters).length;
}

/** A function whose parameters are patterns may not have the directive itself. */
function headOf(parameters: string): string {
  return `'use strict'; (function (${parameters}) { `;
}

/**
 * The reason why a worker must not load this text, as `wrapScript` makes it, or undefined.
 *
 * `import()` rejects with an object of the worker's own realm, and there is no switch that stops
 * it: so it must not be in the text. The compiler has looked for it in the source already; this is
 * the same rule on the exact text that is loaded. A lexer for modules does not know that `<!--` and
 * `-->` begin comments in scripts, so these may not stand beside the word. The lexer's `init` has
 * to be awaited before.
 */
export function faultOfScriptText(whole: string): string | undefined {
  // A keyword is written as it is. Whatever exports is no body of a function, and not compiled.
  if (!/\bimport\b/.test(whole)) return undefined;
  const [imports, exports] = parse(whole);
  if (imports.length > 0 || exports.length > 0) return 'it imports or exports';
  return /<!--|-->/.test(whole) ? 'it may hide an import' : undefined;
}
