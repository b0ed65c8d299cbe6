import { type PackageBundle, packageSpecifier } from '@trellis/contract/shapes/package.ts';
import { SourceMap } from 'node:module';
import { compileFunction } from 'node:vm';
import { init, parse } from 'es-module-lexer/js';
import { z } from 'zod';
import type { CodePlace, PackageOrigins } from '../sandbox/endpoint-call.ts';
import { Problem } from '#base/problem.ts';
import { modulePartsOf } from './module-parts.ts';
import { packageOf } from './package-text.ts';
import type { Linkable } from './script.ts';

/**
 * The code of a package as a script, whose value is what it exports. Types are none in it, and its
 * lines are those that its source map knows.
 */
export async function toPackageScript({
  code,
  isCommonJs,
}: Pick<PackageBundle, 'code' | 'isCommonJs'>): Promise<Linkable> {
  await init();
  const { body, parameters, exports } = modulePartsOf(code);
  if (parameters.length > 0) throw new SyntaxError('A package is bundled with what it imports');
  const members = [...exports].map(
    ([name, value]) => `get ${JSON.stringify(name)}() { return ${value}; }`,
  );
  const main = exports.get('default');
  const own = isCommonJs && main !== undefined ? [`...Object(${main})`] : [];
  const value = `{ ${['__proto__: null', ...own, ...members].join(', ')} }`;
  return { script: `${body}\nreturn ${value};`, parameters: '', specifiers: [] };
}

/**
 * The script of a package. Throws `invalid_request` for one that no endpoint could import. What the
 * command has checked is checked again: anybody may send one.
 */
export async function checkPackage(specifier: string, bundle: PackageBundle): Promise<Linkable> {
  const refuse = (message: string, cause?: unknown): never => {
    throw new Problem('invalid_request', `The package "${specifier}": ${message}`, { cause });
  };
  packageSpecifier.parse(specifier);
  const { code, map, types, typesEntry } = bundle;
  if (![code, map, ...Object.values(types)].every((text) => text.isWellFormed())) {
    refuse('its texts must be well-formed');
  }
  if (typesEntry !== null && !Object.hasOwn(types, typesEntry)) {
    refuse(`its types have no file "${typesEntry}"`);
  }
  if (readableMap(map) === undefined) refuse('its source map cannot be read');
  // To a script, unlike a module, these begin a comment: code could hide behind them.
  const comment = /<!--|-->/.exec(code);
  if (comment !== null) refuse(`${lineAt(code, comment.index)} has "${comment[0]}"`);
  await init();
  let imports: ReturnType<typeof parse>[0] = [];
  try {
    [imports] = parse(code);
  } catch (error) {
    refuse('its code is no module', error);
  }
  const [imported] = imports;
  if (imported !== undefined) {
    refuse(`${lineAt(code, imported.start)} imports ${code.slice(imported.start, imported.end)}`);
  }
  try {
    const linkable = await toPackageScript(bundle);
    // It reads the body of a function alone: nothing can close it early, and nothing is run.
    compileFunction(`'use strict';${linkable.script}`);
    return linkable;
  } catch (error) {
    // How V8 says that it has no stack left to read it with.
    if (error instanceof RangeError) refuse('its code is nested too deeply', error);
    if (!(error instanceof SyntaxError)) throw error;
    return refuse(error.message, error);
  }
}

function lineAt(code: string, offset: number): string {
  return `line ${code.slice(0, offset).split('\n').length} of its code`;
}

const SOURCE_CHARACTERS_MAX = 1_000;

/** `SourceMap` believes whatever it is given, such as how long something is. */
const sourceMap = z.object({
  version: z.literal(3),
  sources: z.array(z.string().max(SOURCE_CHARACTERS_MAX)),
  mappings: z.string(),
});

function readableMap(text: string): SourceMap | undefined {
  try {
    const { version, sources, mappings } = sourceMap.parse(JSON.parse(text));
    const unused = { file: '', names: [], sourcesContent: [], sourceRoot: '' };
    return new SourceMap({ version, sources, mappings, ...unused });
  } catch {
    return undefined;
  }
}

/** Where a place in the code of a package comes from. */
export class PackagePlaces implements PackageOrigins {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #maps = new Map<string, SourceMap | undefined>();

  /** Texts of packages by their specifiers. */
  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
  }

  /** A stack with the files of authors in it. */
  inStack(stack: string): string {
    return stack.replaceAll(PLACE, (place, specifier: string, line: string, column: string) => {
      const file = fileNameOfPackage(specifier);
      const origin = this.placeOf({ file, line: Number(line), column: Number(column) });
      return origin === undefined ? place : `${origin.file}:${origin.line}:${origin.column}`;
    });
  }

  placeOf({ file, line, column }: CodePlace): CodePlace | undefined {
    if (!file.startsWith(FILE_START)) return undefined;
    const origin = this.#map(file.slice(FILE_START.length))?.findOrigin(line, column);
    if (origin === undefined || !('fileName' in origin)) return undefined;
    return { file: origin.fileName, line: origin.lineNumber, column: origin.columnNumber };
  }

  #map(specifier: string): SourceMap | undefined {
    if (this.#maps.has(specifier)) return this.#maps.get(specifier);
    const text = this.#texts.get(specifier);
    const map = text === undefined ? undefined : readableMap(packageOf(text).map);
    this.#maps.set(specifier, map);
    return map;
  }
}

const FILE_START = 'npm:';

/** As scripts of packages are called: see `fileNameOfPackage`. */
const PLACE = /\bnpm:([^\s():]+):(\d+):(\d+)/g;

export function fileNameOfPackage(specifier: string): string {
  return FILE_START + specifier;
}
