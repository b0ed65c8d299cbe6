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
  const edits = [
    ...statics.map(({ importStart, importEnd }): Edit => {
      return { at: importStart, edit: (text) => blank(text, importStart, importEnd) };
    }),
    ...editsOf(exports),
  ];
  let body = js;
  for (const { edit } of edits.toSorted((a, b) => b.at - a.at)) body = edit(body);
  const parameters = statics.flatMap((one, number) =>
    [...patternsOf(js, one), parameterOf(number)].map((pattern) => {
      return { pattern, specifier: one.specifier };
    }),
  );
  const named = exports.filter((one) => one.type !== 'reexport-all');
  const stars = exports.filter((one) => one.type === 'reexport-all');
  return {
    body,
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

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
const NAME = String.raw`[$_\p{ID_Start}][$\u200c\u200d\p{ID_Continue}]*`;
const CLAUSE = new RegExp(
  String.raw`^(?<first>${NAME})?\s*,?\s*(?:\*\s*as\s+(?<all>${NAME})|\{(?<named>[^}]*)\})?$`,
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
    ...(named === undefined ? [] : [`{${named.replaceAll(/\s+as\s+/g, ': ')}}`]),
  ];
}

function valueOf(one: Exclude<Export, { readonly type: 'reexport-all' }>): string {
  if (one.type === 'direct') return one.localName ?? MAIN;
  const all = parameterOf(one.importIndex);
  return one.importName === null ? all : `${all}[${JSON.stringify(one.importName)}]`;
}

/** What changes a text from a place on, and nothing before it. */
interface Edit {
  readonly at: number;
  edit(text: string): string;
}

/** One for each statement. */
function editsOf(exports: readonly Export[]): Edit[] {
  const lists = exports
    .filter((one) => one.type === 'reexport')
    .map(({ exportStart }) => exportStart);
  const direct = exports.filter((one) => one.type === 'direct');
  const statements = new Map([
    ...direct.map((one): [number, Edit] => [one.exportStart, editOf(one)]),
    ...lists.map((at): [number, Edit] => [at, { at, edit: (text) => withoutList(text, at) }]),
  ]);
  return [...statements.values()];
}

const LIST = /export\s*\{[^}]*\}/y;

/** `export { a, b as c }` as blanks; what is no such list stays. */
function withoutList(text: string, at: number): string {
  LIST.lastIndex = at;
  const list = LIST.exec(text);
  return list === null ? text : blank(text, at, at + list[0].length);
}

function editOf(one: DirectExport): Edit {
  const at = one.exportStart;
  return {
    at,
    edit(text) {
      const plain = withoutList(text, at);
      if (plain !== text) return plain;
      if (one.name === 'default') return withNamedMain(text, one);
      return blank(text, at, at + 'export'.length);
    },
  };
}

/** The default export as a declaration of its own name, or of `MAIN`. */
function withNamedMain(js: string, main: DirectExport): string {
  if (main.localName !== undefined) return blank(js, main.exportStart, main.end);
  const anonymous = ANONYMOUS_FUNCTION.exec(js.slice(main.exportStart));
  return anonymous === null
    ? asVariable(js, main.exportStart, main.start)
    : asNamedFunction(js, main.exportStart, anonymous);
}

/** Chosen so that `$main =` is as long as `default`. */
const MAIN = '$main';

const SPACE = String.raw`(?:\s|//[^\n]*\n|/\*[\s\S]*?\*/)`;
const ANONYMOUS_FUNCTION = new RegExp(
  `^export${SPACE}+default${SPACE}+(async${SPACE}+)?function${SPACE}*(\\*?)${SPACE}*(?=\\()`,
);

/** `export default <expression>` as `var   $main = <expression>`. */
function asVariable(js: string, exportStart: number, defaultStart: number): string {
  const between = js.slice(exportStart + 'export'.length, defaultStart);
  const rest = js.slice(defaultStart + 'default'.length);
  return `${js.slice(0, exportStart)}var   ${between}${MAIN} =${rest}`;
}

/**
 * `export default async function (` as `async function $main         (`: a declaration, as it was,
 * so that what follows it does not become a part of it.
 */
function asNamedFunction(js: string, exportStart: number, head: RegExpExecArray): string {
  const [text, async, star] = head;
  const named = `${async === undefined ? '' : 'async '}function${star} ${MAIN}`;
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
  const lastLine = must(lines.at(-1), 'the last line of a text');
  const padded =
    lines.length === 1
      ? named.padEnd(text.length)
      : `${named}${'\n'.repeat(lines.length - 1)}${' '.repeat(lastLine.length)}`;
  return `${js.slice(0, exportStart)}${padded}${js.slice(exportStart + text.length)}`;
}

function blank(text: string, start: number, end: number): string {
  const blanks = text.slice(start, end).replaceAll(/[^\s]/g, ' ');
  return `${text.slice(0, start)}${blanks}${text.slice(end)}`;
}
