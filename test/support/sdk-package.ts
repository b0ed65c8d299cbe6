import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compileDeclarations, writePart } from '../../tools/package/part-files.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Where the SDK lies in a folder of somebody who has installed it, and nothing else of Trellis. */
export const SDK = 'node_modules/@trellis/client';

/** Installs the SDK in a folder, as `npm run package` makes it. */
export function installSdk(folder: string): void {
  compileDeclarations(ROOT);
  mkdirSync(join(folder, 'node_modules/@trellis'), { recursive: true });
  writePart(ROOT, 'client', join(folder, SDK), '1.0.0');
}
