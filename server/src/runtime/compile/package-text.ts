import { type PackageBundle, packageBundle } from '@trellis/contract/shapes/package.ts';
import { parse } from 'es-module-lexer/js';

/** As it is kept: what `imported-modules.ts` knows a package by stands first. */
export function packageText(bundle: PackageBundle): string {
  const { package: name, ...rest } = bundle;
  return JSON.stringify({ package: name, ...rest });
}

/** The way back. */
export function packageOf(text: string): PackageBundle {
  return packageBundle.parse(JSON.parse(text));
}

/**
 * The files that the compiler finds the types of a package in, by their paths below its folder.
 * Two packages share none: each was bundled with its own dependencies.
 */
export function typeFilesOf(text: string): ReadonlyMap<string, string> {
  const { types, typesEntry, code, isCommonJs } = packageOf(text);
  if (typesEntry === null) return new Map([['index.d.ts', untyped(code, isCommonJs)]]);
  const files = Object.entries(types).map(
    ([path, content]) => [`node_modules/${path}`, withoutHosts(content)] as const,
  );
  const entry = JSON.stringify({ types: `./node_modules/${typesEntry}` });
  return new Map([...files, ['package.json', entry]]);
}

const HOST_LIBRARY =
  /^[ \t]*\/\/\/[ \t]*<reference[ \t]+lib=["'](?:dom|webworker|scripthost)\b.*$/gim;

/**
 * Without the lines that bring in the globals of browsers: of those, an endpoint has none, whatever
 * a package may have them for. Lines stay where they are.
 */
function withoutHosts(declarations: string): string {
  return declarations.replaceAll(HOST_LIBRARY, '//');
}

/** Of a package that says nothing of its types, everything may be anything. */
function untyped(code: string, isCommonJs: boolean): string {
  if (isCommonJs) return 'declare const all: any;\nexport = all;\n';
  const names = parse(code)[1].flatMap((one) => ('name' in one ? [String(one.name)] : []));
  const lines = names.filter((name) => name !== 'default' && /^[$\w]+$/.test(name));
  return [
    'declare const anything: any;',
    'export default anything;',
    ...lines.map((name) => `export { anything as ${name} };`),
    '',
  ].join('\n');
}
