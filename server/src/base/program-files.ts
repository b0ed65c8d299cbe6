import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The files that a thread or process under Node's permission model must read to run code of the
 * server: the program, the contract, and packages in this folder and the folders above. Absolute
 * paths; folders end with a slash.
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
 * The folder of the contract. When the sources are run, its package is a link, and the permission
 * is needed for the target of that link. Bundled code needs none.
 */
function contractFolders(require: NodeJS.Require): string[] {
  try {
    return [join(dirname(require.resolve('@trellis/contract/limits.ts')), '../')];
  } catch {
    return [];
  }
}
