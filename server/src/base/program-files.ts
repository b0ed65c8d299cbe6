import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What a thread or a process under Node's permission model has to read to run code of the server:
 * the program, the contract, and the packages that it loads, which are beside it and further up.
 * Absolute paths; folders end in a slash.
 */
export function programFiles(): string[] {
  const source = fileURLToPath(new URL('../../', import.meta.url));
  const require = createRequire(import.meta.url);
  const candidates = require.resolve.paths('lmdb') ?? [];
  const folders = candidates.map(dirname).filter((folder) => source.startsWith(folder));
  return [
    source,
    ...contractFolders(require),
    ...folders.flatMap((folder) => [join(folder, 'node_modules/'), join(folder, 'package.json')]),
  ];
}

/**
 * Where the sources are run, the package is a link to its folder, and what counts is where it
 * leads. Bundled code needs none.
 */
function contractFolders(require: NodeJS.Require): string[] {
  try {
    return [join(dirname(require.resolve('@trellis/contract/limits.ts')), '../')];
  } catch {
    return [];
  }
}
