import { parse } from 'es-module-lexer/js';
import type { DirectExport, Export, Import, StaticImport } from 'es-module-lexer/js';
import { must } from '#base/assert.ts';

/**
 * A module without its imports and exports: what it imports are parameters, what it exports are
 * members of an object. Every token keeps its line and column, as blanks stand where words were.
 */
export interface ModuleParts {
  readonly body: string;
  /**
   * Patterns, each with what it is given: `import total, { price as p } from '#lib/prices.ts'`
   * gives `{ default: total }` and `{ price: p }`, both of `#lib/prices.ts`.
   */
  readonly parameters: readonly ImportedPattern[];
  /** By name, the expression that each export is the value of. */
  readonly exports: ReadonlyMap<string, string>;
  /** The parameters whose exports, but for the default one, are exports as well. */
  readonly passedOn: readonly string[];
}

export interface ImportedPattern {
  readonly pattern: string;
  /** What is imported, as the source names it. */
  readonly specifier: string;
}

/** Throws a SyntaxError. The lexer's `init` has to be awaited before. */
export function modulePartsOf(js: string): ModuleParts {
  const [imports, exports] = parse(js);
  const statics = imports.map(staticImport);
  const parameters = statics.flatMap((one, number) =>
    [...patternsOf(js, one), parameterOf(number)].map((pattern) => {
      return { pattern, specifier: one.specifier };
    }),
  );
  const named = exports.filter((one) => one.type !== 'reexport-all');
  const stars = exports.filter((one) => one.type === 'reexport-all');
  return {
    body: replaced(js, replacementsOf(js, statics, exports)),
    parameters,
    exports: new Map(named.map((one) => [one.name, valueOf(one)])),
    passedOn: stars.map(({ importIndex }) => parameterOf(importIndex)),
  };
}

function staticImport(one: Import): StaticImport {
  if (one.type !== 'static' && one.type !== 'reexport-star') {
    throw new SyntaxError('import() and import.meta are not there');
  }
  if (one.attributes !== null) throw new SyntaxError('An import has no attributes');
  return one;
}

/** All exports of what is imported with this number. */
function parameterOf(number: number): string {
  return `$import${number}`;
}

// Each text is matched in one way alone, or some code would keep the server busy for hours.
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
const NAME = String.raw`[$_\p{ID_Start}][$\u200c\u200d\p{ID_Continue}]*`;
const CLAUSE = new RegExp(
  String.raw`^(?<first>${NAME})?\s*(?:,\s*)?(?:\*\s*as\s+(?<all>${NAME})|\{(?<named>[^}]*)\})?$`,
  'u',
);

/** What stands between `import` and `from`, as patterns. */
function patternsOf(js: string, { importStart, start }: StaticImport): string[] {
  if (!js.startsWith('import', importStart)) return [];
  const clause = js
    .slice(importStart + 'import'.length, start - 1)
    .replaceAll(COMMENT, ' ')
    .replace(/\bfrom\s*$/, '')
    .trim();
  const found = CLAUSE.exec(clause);
  if (found === null) throw new SyntaxError('This import cannot be read');
  const { first, all, named } = found.groups ?? {};
  return [
    ...(first === undefined ? [] : [`{ default: ${first} }`]),
    ...(all === undefined ? [] : [all]),
    ...(named === undefined ? [] : [`{${named.replaceAll(/(?<!\s)\s+as\s+/g, ': ')}}`]),
  ];
}

function valueOf(one: Exclude<Export, { readonly type: 'reexport-all' }>): string {
  if (one.type === 'direct') return one.localName ?? MAIN;
  const all = parameterOf(one.importIndex);
  return one.importName === null ? all : `${all}[${JSON.stringify(one.importName)}]`;
}

/** Another text for a part of one. */
interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** In one pass: a module may have thousands of exports. */
function replaced(js: string, replacements: readonly Replacement[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, text } of replacements) {
    pieces.push(js.slice(at, start), text);
    at = end;
  }
  return pieces.join('') + js.slice(at);
}

/** One for each statement, in their order; `export ... from` is an import, too. */
function replacementsOf(
  js: string,
  imports: readonly StaticImport[],
  exports: readonly Export[],
): Replacement[] {
  const statements = new Map<number, Replacement>();
  for (const { importStart, importEnd } of imports) {
    statements.set(importStart, blank(js, importStart, importEnd));
  }
  for (const one of exports) {
    const start = one.exportStart;
    if (!statements.has(start)) statements.set(start, withoutExport(js, one));
  }
  return [...statements.values()].toSorted((x, y) => x.start - y.start);
}

const LIST = /export\s*\{[^}]*\}/y;

function withoutExport(js: string, one: Export): Replacement {
  const start = one.exportStart;
  LIST.lastIndex = start;
  const list = LIST.exec(js);
  if (list !== null) return blank(js, start, start + list[0].length);
  if (one.type === 'direct' && one.name === 'default') return withNamedMain(js, one);
  return blank(js, start, start + 'export'.length);
}

/** The default export as a declaration of its own name, or of `MAIN`. */
function withNamedMain(js: string, main: DirectExport): Replacement {
  const { exportStart, localName, start, end } = main;
  if (localName !== undefined) return blank(js, exportStart, end);
  const anonymous = ANONYMOUS_FUNCTION.exec(js.slice(exportStart));
  return anonymous === null
    ? asVariable(js, exportStart, start)
    : asNamedFunction(exportStart, anonymous);
}

/** Chosen so that `$main =` is as long as `default`. */
const MAIN = '$main';

const SPACE = String.raw`(?:\s|//[^\n]*\n|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)`;
const ANONYMOUS_FUNCTION = new RegExp(
  `^export${SPACE}+default${SPACE}+(async${SPACE}+)?function${SPACE}*(\\*?)${SPACE}*(?=\\()`,
);

/** `export default <expression>` as `var   $main = <expression>`. */
function asVariable(js: string, exportStart: number, defaultStart: number): Replacement {
  const between = js.slice(exportStart + 'export'.length, defaultStart);
  const end = defaultStart + 'default'.length;
  return { start: exportStart, end, text: `var   ${between}${MAIN} =` };
}

/**
 * `export default async function (` as `async function $main         (`: a declaration, as it was,
 * so that what follows it does not become a part of it.
 */
function asNamedFunction(exportStart: number, head: RegExpExecArray): Replacement {
  const [text, async, star] = head;
  const named = `${async === undefined ? '' : 'async '}function${star} ${MAIN}`;
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
  const lastLine = must(lines.at(-1), 'the last line of a text');
  const padded =
    lines.length === 1
      ? named.padEnd(text.length)
      : `${named}${'\n'.repeat(lines.length - 1)}${' '.repeat(lastLine.length)}`;
  return { start: exportStart, end: exportStart + text.length, text: padded };
}

function blank(js: string, start: number, end: number): Replacement {
  return { start, end, text: js.slice(start, end).replaceAll(/[^\s]/g, ' ') };
}
