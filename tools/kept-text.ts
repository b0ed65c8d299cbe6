import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** The text of a file that only its owner reads, made when it is not there. */
export function keptText(file: string, make: () => string): string {
  if (!existsSync(file)) writeFileSync(file, make(), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}
