import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { Clock } from '#base/clock.ts';
import {
  BACKUP_S3_PAUSE_MS,
  BACKUP_S3_TIMEOUT_MS,
  BACKUP_S3_TRIES_MAX,
} from '#base/backup-limits.ts';
import { targetFailed } from './backup-problem.ts';
import type { BackupTarget, TargetFile } from './backup-target.ts';
import { errorCodeOf, readListing } from './s3-answers.ts';

/** A place in a store of objects that speaks S3. */
export interface S3Place {
  readonly bucket: string;
  /** Without a slash at its ends; empty for the whole bucket. */
  readonly prefix: string;
  /** Null is that of AWS for the region. */
  readonly endpoint: string | null;
  readonly region: string;
}

export interface S3TargetOptions {
  readonly place: S3Place;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  /** Between two tries. */
  readonly pause: (ms: number) => Promise<void>;
}

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** Of the object; empty for the bucket. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** Worth another try. */
const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Backups in a store of objects, each file an object. An object is there as a whole or not at all, as S3 has it. */
export class S3Target implements BackupTarget {
  readonly name: string;
  readonly #options: S3TargetOptions;
  /** Ends with a slash. */
  readonly #base: string;

  constructor(options: S3TargetOptions) {
    const { bucket, prefix, endpoint, region } = options.place;
    this.#options = options;
    this.name = ['s3:/', bucket, prefix].filter((part) => part !== '').join('/');
    this.#base =
      endpoint === null
        ? `https://${bucket}.s3.${region}.amazonaws.com/`
        : `${endpoint.replace(/\/+$/, '')}/${bucket}/`;
  }

  async list(folder: string): Promise<readonly TargetFile[]> {
    const root = this.#keyOf('');
    const files: TargetFile[] = [];
    let from: string | undefined;
    do {
      const query = {
        'list-type': '2',
        prefix: this.#keyOf(`${folder}/`),
        ...(from === undefined ? {} : { 'continuation-token': from }),
      };
      const answer = await this.#send('listing', { method: 'GET', key: '', query });
      const { objects, next } = readListing(Buffer.from(answer.body).toString());
      for (const { key, bytes } of objects) files.push({ path: key.slice(root.length), bytes });
      from = next;
    } while (from !== undefined);
    return files;
  }

  async read(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const answer = await this.#send(`reading ${path}`, { method: 'GET', key: this.#keyOf(path) });
    return answer.status === 404 ? undefined : answer.body;
  }

  async write(path: string, content: readonly Uint8Array[]): Promise<void> {
    const body = Buffer.concat(content);
    await this.#send(`writing ${path}`, { method: 'PUT', key: this.#keyOf(path), body });
  }

  async remove(path: string): Promise<void> {
    await this.#send(`removing ${path}`, { method: 'DELETE', key: this.#keyOf(path) });
  }

  /** What has been answered is durable. */
  sync(): Promise<void> {
    return Promise.resolve();
  }

  /** S3 has no locks that end with who holds them: that nobody else writes there is the operator's to see to. */
  claim(): Promise<Disposable> {
    return Promise.resolve({ [Symbol.dispose]: () => undefined });
  }

  #keyOf(path: string): string {
    const { prefix } = this.#options.place;
    return prefix === '' ? path : `${prefix}/${path}`;
  }

  async #send(
    doing: string,
    request: S3Request,
  ): Promise<{ readonly status: number; readonly body: Uint8Array<ArrayBuffer> }> {
    const what = `${doing} in ${this.name}`;
    for (let tries = 1; ; tries++) {
      const isLast = tries >= BACKUP_S3_TRIES_MAX;
      try {
        const response = await this.#once(request);
        const body = new Uint8Array(await response.arrayBuffer());
        const { status } = response;
        if (response.ok || (status === 404 && isMissingKey(request, body))) return { status, body };
        if (isLast || !PASSING_STATUSES.has(status)) {
          throw targetFailed(what, new Error(`${status} ${errorCodeOf(body)}`));
        }
      } catch (error) {
        // What fetch throws is of the network.
        if (isLast || !(error instanceof TypeError || isTimeout(error)))
          throw targetFailed(what, error);
      }
      await this.#options.pause(BACKUP_S3_PAUSE_MS * 2 ** (tries - 1));
    }
  }

  async #once({ method, key, query = {}, body }: S3Request): Promise<Response> {
    const { place, accessKey, secretKey, clock, fetch: send } = this.#options;
    const url = new URL(this.#base + key.split('/').map(encodeURIComponent).join('/'));
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      // Signed as well: what arrives is what was sent, without TLS too.
      headers: { 'x-amz-content-sha256': sha256(body ?? new Uint8Array(0)) },
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      service: 's3',
      region: place.region,
      datetime: new Date(clock.now()).toISOString().replace(/[-:]|\.\d{3}/g, ''),
    }).sign();
    return await send(signed.url, {
      method,
      headers: signed.headers,
      redirect: 'error',
      signal: AbortSignal.timeout(BACKUP_S3_TIMEOUT_MS),
      ...(body === undefined ? {} : { body }),
    });
  }
}

/** A bucket that is not there is a fault; an object is not. */
function isMissingKey({ method, key }: S3Request, body: Uint8Array): boolean {
  return key !== '' && method !== 'PUT' && errorCodeOf(body) !== 'NoSuchBucket';
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
