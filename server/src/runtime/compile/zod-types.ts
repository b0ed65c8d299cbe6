import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const FOLDER = '/zod/';

/**
 * The file that gives the code of endpoints `z`, as a global and in its scope; its text takes the
 * compiler a while.
 */
export const ZOD_ENTRY = `${FOLDER}z.d.ts`;

const MODULE = './v4/classic/external.js';
export const ZOD_ENTRY_TEXT = `import * as zod from '${MODULE}';
export * from '${MODULE}';
export as namespace z;
declare global {
  interface Scope<Body = unknown> {
    /**
     * Schemas that check values: see https://zod.dev. It is a global too, for
     * \`export const input\`.
     */
    readonly z: typeof zod;
  }
}
`;

/** The type declarations of zod, as a folder of the compiler's virtual files. */
export class ZodTypes {
  readonly #root = dirname(createRequire(import.meta.url).resolve('zod/package.json'));

  /** Undefined for what is not there. */
  read(path: string): string | undefined {
    return this.has(path) ? readFileSync(this.#onDisk(path), 'utf8') : undefined;
  }

  has(path: string): boolean {
    const isDeclaration = path.startsWith(FOLDER) && path.endsWith('.d.ts') && !path.includes('..');
    return isDeclaration && existsSync(this.#onDisk(path));
  }

  hasFolder(path: string): boolean {
    return `${path}/`.startsWith(FOLDER) && !path.includes('..') && existsSync(this.#onDisk(path));
  }

  #onDisk(path: string): string {
    return join(this.#root, path.slice(FOLDER.length));
  }
}
