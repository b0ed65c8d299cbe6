import { stripTypeScriptTypes } from 'node:module';
import { basename } from 'node:path';

/**
 * `./x.ts` or `../x.ts` where a module is named: in an import, an export, an `import()`, and the
 * file of a thread.
 */
const RELATIVE_MODULE =
  /(\bfrom\s+|\bimport\s+|\bimport\(|\bnew URL\()(['"])(\.{1,2}\/[^'"\n]+)\.ts\2/g;

export interface JavaScriptModule {
  readonly code: string;
  /** Source Map, revision 3. */
  readonly map: string;
}

/**
 * A module without its types. Each line and column stays where it was, so that the program is the
 * one that was tested, and a stack trace names the place in the source; the map only says which
 * file that is.
 */
export function toJavaScript(path: string, source: string): JavaScriptModule {
  const file = basename(path);
  const output = file.replace(/\.ts$/, '.js');
  const code = nameJavaScript(stripTypeScriptTypes(source));
  const lines = source.split('\n').length;
  const map = {
    version: 3,
    file: output,
    sources: [file],
    sourcesContent: [source],
    names: [],
    // The first column of each line is that of the same line.
    mappings: ['AAAA', ...Array<string>(lines - 1).fill('AACA')].join(';'),
  };
  return {
    code: `${code.trimEnd()}\n//# sourceMappingURL=${output}.map\n`,
    map: JSON.stringify(map),
  };
}

/**
 * Modules by the name they have in the package. What another package exports keeps its name: its
 * `exports` say where it is.
 */
export function nameJavaScript(code: string): string {
  return code.replaceAll(RELATIVE_MODULE, '$1$2$3.js$2');
}
