import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import { stripTypeScriptTypes } from 'node:module';
import { Script } from 'node:vm';
import { init, parse } from 'es-module-lexer/js';
import type { DirectExport } from 'es-module-lexer/js';
import { assert, must } from '#base/assert.ts';
import type { BodyShape } from '../guest/body-shape.ts';
import { SCRIPT_COLUMN_OFFSET, wrapScript } from '../sandbox/script-text.ts';
import type { EndpointTypes } from './endpoint-types.ts';

/**
 * The JavaScript that a worker loads, made from the TypeScript of an endpoint: types are replaced
 * by blanks, and the default export becomes what the script returns. Every token keeps its line and
 * column, so positions in stack traces are those of the user's file. Throws a SyntaxError for code
 * that is not valid.
 *
 * `export const input` is given beside it, as `{main, input}`; otherwise what its type says of the
 * body, as `{main, shape}`. The text is the body of a function: see `sandbox/script-text.ts`.
 */
export async function toScript(code: string, types?: EndpointTypes): Promise<string> {
  const { body, main, hasInput } = await split(code);
  const shape = hasInput ? undefined : shapeLiteral(types);
  if (shape !== undefined) return `${body}\nreturn { main: ${main}, shape: ${shape} };`;
  return `${body}\nreturn ${hasInput ? `{ main: ${main}, input }` : main};`;
}

/** JSON text of a `BodyShape`; undefined where any body is taken. */
export function bodyShapeText(types: EndpointTypes | undefined): string | undefined {
  if (types === undefined || types.input === null) return undefined;
  const shape: BodyShape = { schema: types.input, isOptional: types.isBodyOptional };
  return JSON.stringify(shape, withoutProse);
}

/** As JSON text: a name in it such as `__proto__` stays a name. No comment begins in it. */
function shapeLiteral(types: EndpointTypes | undefined): string | undefined {
  const text = bodyShapeText(types);
  if (text === undefined) return undefined;
  const literal = JSON.stringify(text);
  return literal.replaceAll('<', String.raw`\u003c`).replaceAll('>', String.raw`\u003e`);
}

/** What is said to people is of no use to a worker. */
function withoutProse(name: string, value: unknown): unknown {
  return name === 'description' && typeof value === 'string' ? undefined : value;
}

/**
 * The same code as an endpoint that answers the JSON Schema of its `input`, and of what that takes
 * where it makes something else of it; undefined when it has none.
 */
export async function toInputScript(code: string): Promise<string | undefined> {
  const { body, hasInput } = await split(code);
  if (!hasInput) return undefined;
  return `${body}\nreturn () => z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });`;
}

interface EndpointScript {
  /** Without exports. */
  readonly body: string;
  /** The name of the function in it. */
  readonly main: string;
  readonly hasInput: boolean;
}

async function split(code: string): Promise<EndpointScript> {
  await init();
  const js = stripTypeScriptTypes(code);
  const [, exports] = parse(js);
  const direct = exports.filter((one) => one.type === 'direct');
  const main = must(
    direct.find(({ name }) => name === 'default'),
    'the default export of code that was checked',
  );
  const input = direct.find(({ name }) => name === 'input');
  assert(exports.length === (input === undefined ? 1 : 2), 'beside it there is an input at most');
  // No position changes: the word becomes blanks.
  const plain =
    input === undefined ? js : blank(js, input.exportStart, input.exportStart + 'export'.length);
  return {
    body: withNamedMain(plain, main),
    main: main.localName ?? MAIN,
    hasInput: input !== undefined,
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

/**
 * What the engine itself finds wrong with a script, beyond what the compiler found with its source.
 */
export async function engineDiagnostics(code: string): Promise<Diagnostic[]> {
  try {
    void new Script(wrapScript(await toScript(code)), SCRIPT_OPTIONS);
    return [];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const place = /^(endpoint\.ts)?:(\d+)\n[^\n]*\n( *)\^/.exec(error.stack ?? '');
    const [, script, lineText, indent = ''] = place ?? [];
    const line = Number(lineText ?? 1);
    const isShifted = script !== undefined && line === 1;
    const column = indent.length + 1 + (isShifted ? SCRIPT_COLUMN_OFFSET : 0);
    return [{ line, column: Math.max(1, column), code: 0, message: `${error.message}.` }];
  }
}

const SCRIPT_OPTIONS = { filename: 'endpoint.ts', columnOffset: SCRIPT_COLUMN_OFFSET };
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
