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
    ...PACKAGES.flatMap((file) => packageFolders(require, file)),
    ...folders.flatMap((folder) => [join(folder, 'node_modules/'), join(folder, 'package.json')]),
  ];
}

/** A file of each package of this repository that runs in such a process. */
const PACKAGES = [
  '@trellis/contract/limits.ts',
  '@trellis/client/trellis-error.ts',
  '@trellis/connector/run-connector.ts',
];

/**
 * The folder of a package. When the sources are run, the package is a link, and the permission is
 * needed for the target of that link. Bundled code needs none.
 */
function packageFolders(require: NodeJS.Require, file: string): string[] {
  try {
    return [join(dirname(require.resolve(file)), '../')];
  } catch {
    return [];
  }
}
