import { isPackageSpecifier } from '@trellis/contract/shapes/package.ts';
import { parse } from 'es-module-lexer/js';

/** Where the compiler finds the modules of the workspace. */
export interface ModuleSources {
  /** The code that is imported under a name; undefined where there is none. */
  find(name: string): string | undefined;
  names(): readonly string[];
}

export const NO_SOURCES: ModuleSources = { find: () => undefined, names: () => [] };

const SPECIFIER = /^#lib\/(.+)\.ts$/;

/** Packages of npm are kept beside modules, whose names have no colon. */
const PACKAGE = 'npm:';

/** The module, or the package, that code imports by this text; undefined where it can be none. */
export function moduleNameOf(specifier: string): string | undefined {
  return isPackageSpecifier(specifier) ? PACKAGE + specifier : SPECIFIER.exec(specifier)?.[1];
}

export function specifierOf(name: string): string {
  return isPackage(name) ? name.slice(PACKAGE.length) : `#lib/${name}.ts`;
}

/** Whether what is kept under this name is a package. */
export function isPackage(name: string): boolean {
  return name.startsWith(PACKAGE);
}

/** Names of modules that code imports, whether they are there or not. */
export function importedNames(code: string): readonly string[] {
  if (!MAY_IMPORT.test(code) || code.startsWith(PACKAGE_TEXT_START)) return [];
  const names = specifiersIn(code).map(moduleNameOf);
  return [...new Set(names)].filter((name) => name !== undefined);
}

const MAY_IMPORT = /\b(?:from|import)\s*["']/;
/** A package imports nothing. Its text (see `package-text.ts`) begins as no code does. */
const PACKAGE_TEXT_START = '{"package":';

/**
 * This build of the lexer is JavaScript, which needs no `init`. It reads TypeScript, too; where it
 * cannot, somebody is writing, and wants names completed.
 */
function specifiersIn(code: string): string[] {
  try {
    return parse(code)[0].map(({ specifier }) => specifier ?? '');
  } catch {
    return code.split(STATEMENT).flatMap((text) => IMPORT.exec(text)?.[2] ?? []);
  }
}

/** Packages that code may import by the specifier that is being written just before `offset`. */
export function packagesAt(source: string, offset: number, names: readonly string[]): string[] {
  const line = source.slice(source.lastIndexOf('\n', offset - 1) + 1, offset);
  const written = WRITTEN.exec(line)?.[1];
  if (written === undefined) return [];
  const specifiers = names.filter(isPackage).map(specifierOf);
  return specifiers.filter((specifier) => specifier.startsWith(written)).toSorted();
}

const WRITTEN = /(?:\bfrom|^[ \t]*import)[ \t]*["']([^"']*)$/;

/** Each begins a line; an import is looked for in one of them alone, however long the code is. */
const STATEMENT = /^(?=[ \t]*(?:import|export)\b)/m;
const IMPORT = /^[ \t]*(?:import|export)\b[^'"]*(["'])([^"'\n]+)\1/;

/** All that code imports, directly and by others: code by name. What is not there is left out. */
export function reachedModules(code: string, sources: ModuleSources): ReadonlyMap<string, string> {
  const reached = new Map<string, string>();
  const visit = (text: string): void => {
    for (const name of importedNames(text)) {
      const found = reached.has(name) ? undefined : sources.find(name);
      if (found === undefined) continue;
      reached.set(name, found);
      visit(found);
    }
  };
  visit(code);
  return reached;
}

/** The same without packages, which are given no scope. */
export function reachedSources(code: string, sources: ModuleSources): readonly string[] {
  return [...reachedModules(code, sources)].flatMap(([name, text]) =>
    isPackage(name) ? [] : [text],
  );
}

/**
 * The way on which the code of a module comes back to it, by names, the first and the last of which
 * are its own; undefined when there is none.
 */
export function circleOf(
  name: string,
  code: string,
  sources: ModuleSources,
): readonly string[] | undefined {
  const seen = new Set<string>();
  const search = (text: string, way: readonly string[]): readonly string[] | undefined => {
    for (const next of importedNames(text)) {
      if (next === name) return [...way, name];
      if (seen.has(next)) continue;
      seen.add(next);
      const found = search(sources.find(next) ?? '', [...way, next]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(code, [name]);
}
