import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How far an import came, as it is kept between two runs. */
export interface ImportState {
  readonly server: string;
  readonly source: string;
  /** Acknowledged by the server, from the beginning. */
  readonly operations: number;
  /** Storage sequence number of the last acknowledged commit. */
  readonly sequence: number;
}

/**
 * The file that remembers how far an import came. It is found by what is imported, how, and where
 * to: when any of these has changed there is nothing to resume.
 */
export class ImportStateFile {
  readonly #folder: string;
  readonly #path: string;

  constructor(folder: string, identity: readonly string[]) {
    const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
    this.#folder = folder;
    this.#path = join(folder, `${digest.slice(0, 32)}.json`);
  }

  read(): ImportState | undefined {
    try {
      // Written by this class only.
      return JSON.parse(readFileSync(this.#path, 'utf8')) as ImportState;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** The file is whole at every moment. */
  write(state: ImportState): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const draft = `${this.#path}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    renameSync(draft, this.#path);
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}
