import { readFileSync, writeFileSync } from 'node:fs';

/** Whether it was not the same before: whoever watches the file then has nothing to do. */
export function writeIfChanged(file: string, text: string): boolean {
  if (readIfThere(file) === text) return false;
  writeFileSync(file, text);
  return true;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
