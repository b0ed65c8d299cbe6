import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import { stripTypeScriptTypes } from 'node:module';
import { Script } from 'node:vm';
import { init } from 'es-module-lexer/js';
import { assert, must } from '#base/assert.ts';
import type { BodyShape } from '../guest/body-shape.ts';
import { type ScriptText, scriptColumnOffset, wrapScript } from '../sandbox/script-text.ts';
import type { EndpointTypes } from './endpoint-types.ts';
import { type ModuleParts, modulePartsOf } from './module-parts.ts';

/** A script, and what it imports: what its parameters are the exports of, in their order. */
export interface Linkable extends ScriptText {
  readonly specifiers: readonly string[];
}

/**
 * The JavaScript that a worker loads, made from the TypeScript of an endpoint: types are replaced
 * by blanks, and the default export becomes what the script returns. Every token keeps its line and
 * column, so positions in stack traces are those of the user's file. Throws a SyntaxError for code
 * that is not valid.
 *
 * `export const input` is given beside it, as `{main, input}`; otherwise what its type says of the
 * body, as `{main, shape}`. The text is the body of a function: see `sandbox/script-text.ts`.
 */
export async function toScript(code: string, types?: EndpointTypes): Promise<Linkable> {
  const { main, hasInput, parts } = await split(code);
  const shape = hasInput ? undefined : shapeLiteral(types);
  if (shape !== undefined) return linkable(parts, `{ main: ${main}, shape: ${shape} }`);
  return linkable(parts, hasInput ? `{ main: ${main}, input }` : main);
}

/** A module in the same way: its script returns what it exports. */
export async function toModuleScript(code: string): Promise<Linkable> {
  await init();
  const parts = modulePartsOf(stripTypeScriptTypes(code));
  const others = parts.passedOn.map((all) => `...(({ default: _, ...more }) => more)(${all})`);
  const members = [...parts.exports].map(
    ([name, value]) => `get ${JSON.stringify(name)}() { return ${value}; }`,
  );
  return linkable(parts, `{ ${['__proto__: null', ...others, ...members].join(', ')} }`);
}

function linkable({ body, parameters }: ModuleParts, value: string): Linkable {
  return {
    script: `${body}\nreturn ${value};`,
    parameters: parameters.map(({ pattern }) => pattern).join(', '),
    specifiers: parameters.map(({ specifier }) => specifier),
  };
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
export async function toInputScript(code: string): Promise<Linkable | undefined> {
  const { hasInput, parts } = await split(code);
  if (!hasInput) return undefined;
  return linkable(parts, `() => z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })`);
}

interface EndpointScript {
  readonly parts: ModuleParts;
  /** The name of the function in it. */
  readonly main: string;
  readonly hasInput: boolean;
}

async function split(code: string): Promise<EndpointScript> {
  await init();
  const parts = modulePartsOf(stripTypeScriptTypes(code));
  const { exports } = parts;
  const main = must(exports.get('default'), 'the default export of code that was checked');
  const hasInput = exports.has('input');
  assert(exports.size === (hasInput ? 2 : 1), 'beside it there is an input at most');
  return { parts, main, hasInput };
}

/**
 * What the engine itself finds wrong with a script, beyond what the compiler found with its source.
 */
export async function engineDiagnostics(
  code: string,
  linkableOf: (code: string) => Promise<Linkable> = toScript,
): Promise<Diagnostic[]> {
  let linked: Linkable | undefined;
  try {
    linked = await linkableOf(code);
    const columnOffset = scriptColumnOffset(linked.parameters);
    void new Script(wrapScript(linked), { filename: FILE, columnOffset });
    return [];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const place = /^(endpoint\.ts)?:(\d+)\n[^\n]*\n( *)\^/.exec(error.stack ?? '');
    const [, script, lineText, indent = ''] = place ?? [];
    const line = Number(lineText ?? 1);
    const isShifted = script !== undefined && line === 1;
    const shift = isShifted ? scriptColumnOffset(linked?.parameters ?? '') : 0;
    const column = indent.length + 1 + shift;
    return [{ line, column: Math.max(1, column), code: 0, message: `${error.message}.` }];
  }
}

const FILE = 'endpoint.ts';
