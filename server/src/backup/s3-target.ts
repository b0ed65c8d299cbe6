import type { BackupTarget, TargetFile } from './backup-target.ts';
import { readListing, S3Client, type S3ClientOptions, type S3Request } from './s3-client.ts';
import { claimLease, type LeaseParts, type S3Lease } from './s3-lease.ts';

export type S3TargetOptions = S3ClientOptions & Omit<LeaseParts, 'client'>;

/**
 * Backups in a store of objects, each file an object. An object is there as a whole or not at all,
 * as S3 has it.
 */
export class S3Target implements BackupTarget {
  readonly name: string;
  readonly #options: S3TargetOptions;
  readonly #client: S3Client;
  /** While the target is claimed. */
  #lease: S3Lease | undefined;

  constructor(options: S3TargetOptions) {
    this.#options = options;
    this.#client = new S3Client(options);
    this.name = this.#client.name;
  }

  async list(folder: string): Promise<readonly TargetFile[]> {
    const root = this.#client.keyOf('');
    const files: TargetFile[] = [];
    let from: string | undefined;
    do {
      const query = {
        'list-type': '2',
        prefix: this.#client.keyOf(`${folder}/`),
        ...(from === undefined ? {} : { 'continuation-token': from }),
      };
      const answer = await this.#client.send('listing', { method: 'GET', key: '', query });
      const { objects, next } = readListing(Buffer.from(answer.body).toString());
      for (const { key, bytes } of objects) files.push({ path: key.slice(root.length), bytes });
      from = next;
    } while (from !== undefined);
    return files;
  }

  async read(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const key = this.#client.keyOf(path);
    const answer = await this.#client.send(`reading ${path}`, { method: 'GET', key });
    return answer.status === 404 ? undefined : answer.body;
  }

  async write(path: string, content: readonly Uint8Array[]): Promise<void> {
    const body = Buffer.concat(content);
    await this.#change(`writing ${path}`, { method: 'PUT', key: this.#client.keyOf(path), body });
  }

  async remove(path: string): Promise<void> {
    await this.#change(`removing ${path}`, { method: 'DELETE', key: this.#client.keyOf(path) });
  }

  /** What has been answered is durable. */
  sync(): Promise<void> {
    return Promise.resolve();
  }

  /** From then on what writes throws `backup_target_in_use` as well, should the claim be lost. */
  async claim(note: (text: string) => void): Promise<AsyncDisposable> {
    const lease = await claimLease({ ...this.#options, client: this.#client }, note);
    this.#lease = lease;
    return {
      [Symbol.asyncDispose]: async () => {
        await lease[Symbol.asyncDispose]();
        this.#lease = undefined;
      },
    };
  }

  async #change(doing: string, request: S3Request): Promise<void> {
    await this.#client.send(doing, request, { check: this.#lease?.check });
  }
}
