import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import { createHash } from 'node:crypto';
import { packedAlone } from '../definitions-folder.ts';
import { resultOf } from '../commands/definitions.ts';
import { CommandFailure, failureText, reportOf } from '../failure.ts';
import { packageInWords, summaryOf, withPackages } from '../npm-packages.ts';
import type { Tell } from '../terminal.ts';

/**
 * Sends the packages of npm that the code of a folder imports, when they are others than before.
 */
export class PackagePush {
  readonly #client: TrellisClient;
  readonly #folder: string;
  readonly #tell: Tell;
  #sent: string | undefined;

  constructor(client: TrellisClient, folder: string, tell: Tell) {
    this.#client = client;
    this.#folder = folder;
    this.#tell = tell;
  }

  /** Codes by path in the folder. What cannot be bundled is told, and keeps back nothing else. */
  async run(codes: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
    try {
      await this.#send(codes, signal);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      const failure = reportOf(error, this.#client.baseUrl.href);
      this.#tell({ event: 'failed', error: failure }, failureText(failure));
    }
  }

  async #send(codes: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
    const given = new Map([...codes].map(([path, code]) => [path, Buffer.from(code)]));
    const { files, packages } = await withPackages(this.#folder, given);
    const wanted = [...files].filter(([path]) => !codes.has(path));
    const hash = createHash('sha256');
    for (const [path, content] of wanted) hash.update(path).update(content);
    const digest = hash.digest('hex');
    if (wanted.length === 0 || digest === this.#sent) return;
    const zip = await packedAlone('package', wanted);
    const { items } = await resultOf(
      this.#client.definitions.import(zip, { drafts: true }, { signal }),
      () => {},
    );
    const refused = items.find(({ error }) => error !== null);
    if (refused !== undefined) throw new CommandFailure(refused.error?.message ?? refused.name);
    this.#sent = digest;
    for (const one of packages.map(summaryOf)) {
      this.#tell({ event: 'package', ...one }, packageInWords(one));
    }
  }
}
