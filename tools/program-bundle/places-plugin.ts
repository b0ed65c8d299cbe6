import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Plugin } from 'rolldown';

/** The file of a thread or of a process, as `new URL('./x-worker.ts', import.meta.url)`. */
const PROGRAM_FILE = /\bnew URL\('(\.{1,2}\/[^']+\.ts)', import\.meta\.url\)/g;
const STACK_PLACES = join(import.meta.dirname, 'stack-places.ts');
/**
 * It closes its realm, and code of strangers runs in it: nothing of ours may be called by its
 * errors.
 */
const WITHOUT_STACK_PLACES = 'server/src/runtime/sandbox/worker.ts';

/**
 * Modules that were put into one file go on seeing their own place, the one of their source: from
 * there they find packages, and files that are beside the code. The bundle lies as deep as
 * `server/dist`, in the repository as in a package, so the way from it to a source is the same in
 * both. Lines stay as they are, so the map of a module does.
 *
 * What a thread or a process is started with becomes an entry of the bundle. Entries import what
 * makes stack traces name the sources.
 */
export function placesPlugin(root: string, folder: string): Plugin {
  const stacked = new Set([join(root, 'cli/src/main.ts')]);
  return {
    name: 'places',
    transform: {
      filter: { id: { include: /\.ts$/, exclude: [/\/node_modules\//, STACK_PLACES] } },
      handler(code, id) {
        const place = relative(folder, id).replaceAll('\\', '/');
        const replaced = code
          .replaceAll(PROGRAM_FILE, (_all, path: string) => {
            const file = join(dirname(id), path);
            if (!existsSync(file)) throw new Error(`${id}: there is no ${path}`);
            if (relative(root, file) !== WITHOUT_STACK_PLACES) stacked.add(file);
            const reference = this.emitFile({ type: 'chunk', id: file, name: entryName(file) });
            return `new URL(import.meta.ROLLUP_FILE_URL_${reference})`;
          })
          .replaceAll(/\bimport\.meta\.url\b/g, `new URL('${place}', import.meta.url).href`)
          .replaceAll(
            /\bimport\.meta\.dirname\b/g,
            `process.getBuiltinModule('node:path').join(import.meta.dirname, '${dirname(place)}')`,
          );
        const end = stacked.has(id) ? `import '${STACK_PLACES}';` : '';
        return { code: replaced + end, map: null };
      },
    },
  };
}

/** `server/src/runtime/sandbox/worker.ts` is one of many workers. */
function entryName(file: string): string {
  const name = basename(file, '.ts');
  return name === 'worker' ? `${basename(dirname(file))}-${name}` : name;
}
