import { hash } from 'node:crypto';
import { appendFile, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonSchema } from '@trellis/contract/openapi/shape-schemas.ts';
import { ENDPOINT_INPUTS_KEPT_BYTES_MAX } from '#base/endpoint-limits.ts';
import { TextSeal } from '#base/text-seal.ts';
import type { RuntimeLogger } from './endpoint-log.ts';
import type { LinkedScript, LoadableScript } from './sandbox/endpoint-call.ts';
import { zodVersion } from './sandbox/script-sources.ts';

/** In the folder of the state. */
const FILE = 'endpoint-inputs.txt';

export interface KeptInputsOptions {
  readonly storage: string;
  /** With which the state is encrypted; undefined when it is not. */
  readonly environmentKey: string | undefined;
  readonly logger: RuntimeLogger;
}

/**
 * What endpoints take, from one start of the server to the next: it takes a realm with zod to ask
 * one endpoint, so about 10 ms. The file has a line for each script that was asked, which names the
 * script by a digest of all that its answer depends on. So nothing in it ever becomes wrong, and it
 * may be deleted at any time.
 *
 * Each line is sealed, which also tells when it was changed or cut off. When the file is too large,
 * the next start begins another one.
 */
export class KeptInputs {
  readonly #path: string;
  readonly #seal: TextSeal;
  readonly #logger: RuntimeLogger;
  #sealed: Promise<Map<string, string>> | undefined;
  /** What may still be written. */
  #roomBytes = ENDPOINT_INPUTS_KEPT_BYTES_MAX;
  #waiting: string[] = [];
  #writing: Promise<void> | undefined;

  constructor({ storage, environmentKey, logger }: KeptInputsOptions) {
    this.#path = join(storage, FILE);
    this.#seal = TextSeal.for('trellis endpoint inputs', environmentKey ?? '');
    this.#logger = logger;
  }

  async find(digest: string): Promise<JsonSchema | undefined> {
    const sealed = (await this.#lines()).get(digest);
    const opened = sealed === undefined ? undefined : this.#seal.open(sealed, digest);
    return opened === undefined ? undefined : (JSON.parse(opened.text) as JsonSchema);
  }

  keep(digest: string, schema: JsonSchema): void {
    const line = `\n${digest} ${this.#seal.seal(JSON.stringify(schema), digest)}`;
    if (line.length > this.#roomBytes) return;
    this.#roomBytes -= line.length;
    this.#waiting.push(line);
    this.#writing ??= this.#write();
  }

  /** Resolves when everything is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  #lines(): Promise<Map<string, string>> {
    return (this.#sealed ??= this.#read().catch((error: unknown) => {
      this.#fail(error);
      return new Map();
    }));
  }

  async #read(): Promise<Map<string, string>> {
    const lines = new Map<string, string>();
    const { size = 0 } = (await stat(this.#path).catch(ignoreMissing)) ?? {};
    if (size > ENDPOINT_INPUTS_KEPT_BYTES_MAX / 2) await rm(this.#path);
    if (size === 0 || size > ENDPOINT_INPUTS_KEPT_BYTES_MAX / 2) return lines;
    this.#roomBytes -= size;
    await using file = await open(this.#path);
    for await (const line of file.readLines()) {
      const [digest = '', sealed] = line.split(' ');
      if (sealed !== undefined) lines.set(digest, sealed);
    }
    return lines;
  }

  async #write(): Promise<void> {
    try {
      // A file that is too large is removed before.
      await this.#lines();
      while (this.#waiting.length > 0) {
        const lines = this.#waiting.splice(0);
        await appendFile(this.#path, lines.join(''), { mode: 0o600 });
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#writing = undefined;
    }
  }

  /** It is asked again then. */
  #fail(err: unknown): void {
    this.#roomBytes = 0;
    this.#waiting = [];
    this.#logger.warn({ err }, 'what endpoints take is not kept for the next start');
  }
}

/** Of what the answer of a script to what it takes depends on. */
export function inputDigest({ script, modules }: LinkedScript): string {
  const parts = ({ digest, script: text, parameters, imports }: LoadableScript) =>
    [digest ?? text, parameters, imports] as const;
  const all = JSON.stringify([zodVersion(), parts(script), modules.map(parts)]);
  return hash('sha256', all, 'base64url');
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
