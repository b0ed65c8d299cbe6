import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import {
  BACKUP_S3_PAUSE_MS,
  BACKUP_S3_TIMEOUT_MS,
  BACKUP_S3_TRIES_MAX,
} from '#base/backup-limits.ts';
import type { Clock } from '#base/clock.ts';
import { targetFailed } from './backup-problem.ts';

/** A place in a store of objects that speaks S3. */
export interface S3Place {
  readonly bucket: string;
  /** Without a slash at its ends; empty for the whole bucket. */
  readonly prefix: string;
  /** Null is that of AWS for the region. */
  readonly endpoint: string | null;
  readonly region: string;
}

export interface S3ClientOptions {
  readonly place: S3Place;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  /** Between two tries. */
  readonly pause: (ms: number) => Promise<void>;
}

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** The key of the object; empty for the bucket. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
}

export interface S3Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface S3SendOptions {
  /**
   * Statuses that are answers too, beside those of success and the 404 of an object that is not
   * there.
   */
  readonly expected?: readonly number[];
  /** Called before each try; what it throws ends them. */
  readonly check?: (() => void) | undefined;
}

/** Worth another try. */
const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Requests to a store of objects, signed, and tried again where that may help. */
export class S3Client {
  readonly name: string;
  readonly #options: S3ClientOptions;
  /** Ends with a slash. */
  readonly #base: string;

  constructor(options: S3ClientOptions) {
    const { bucket, prefix, endpoint, region } = options.place;
    this.#options = options;
    this.name = ['s3:/', bucket, prefix].filter((part) => part !== '').join('/');
    this.#base =
      endpoint === null
        ? `https://${bucket}.s3.${region}.amazonaws.com/`
        : `${endpoint.replace(/\/+$/, '')}/${bucket}/`;
  }

  /** The key of a path of the target. */
  keyOf(path: string): string {
    const { prefix } = this.#options.place;
    return prefix === '' ? path : `${prefix}/${path}`;
  }

  async send(
    doing: string,
    request: S3Request,
    { expected = [], check }: S3SendOptions = {},
  ): Promise<S3Answer> {
    const what = `${doing} in ${this.name}`;
    for (let tries = 1; ; tries++) {
      const isLast = tries >= BACKUP_S3_TRIES_MAX;
      check?.();
      try {
        const response = await this.#once(request);
        const body = new Uint8Array(await response.arrayBuffer());
        const { status, headers } = response;
        if (response.ok || isAnswer(request, status, expected, body)) {
          return { status, headers, body };
        }
        if (isLast || !PASSING_STATUSES.has(status)) {
          throw targetFailed(what, new Error(`${status} ${errorCodeOf(body)}`));
        }
      } catch (error) {
        // A TypeError of fetch is a fault of the network.
        if (isLast || !(error instanceof TypeError || isTimeout(error)))
          throw targetFailed(what, error);
      }
      await this.#options.pause(BACKUP_S3_PAUSE_MS * 2 ** (tries - 1));
    }
  }

  async #once({ method, key, query = {}, headers = {}, body }: S3Request): Promise<Response> {
    const { place, accessKey, secretKey, clock, fetch: send } = this.#options;
    const url = new URL(this.#base + key.split('/').map(encodeURIComponent).join('/'));
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      // Signed as well: what arrives is what was sent, without TLS too.
      headers: { ...headers, 'x-amz-content-sha256': sha256(body ?? new Uint8Array(0)) },
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
function isAnswer(
  { method, key }: S3Request,
  status: number,
  expected: readonly number[],
  body: Uint8Array,
): boolean {
  const isMissing = status === 404 && key !== '' && method !== 'PUT';
  return (isMissing || expected.includes(status)) && errorCodeOf(body) !== 'NoSuchBucket';
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What an answer to ListObjectsV2 says. */
interface S3Listing {
  readonly objects: readonly { readonly key: string; readonly bytes: number }[];
  /** The token of the next page; undefined on the last. */
  readonly next: string | undefined;
}

const NAMED: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

/**
 * Reads the few elements of the XML that matter: S3 has neither attributes nor comments in them.
 */
export function readListing(xml: string): S3Listing {
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, content = '']) => ({
    key: textOf(content, 'Key') ?? '',
    bytes: Number(textOf(content, 'Size')),
  }));
  const isCut = textOf(xml, 'IsTruncated') === 'true';
  return { objects, next: isCut ? textOf(xml, 'NextContinuationToken') : undefined };
}

/** The code of a refusal; empty when it tells none. */
function errorCodeOf(body: Uint8Array): string {
  return textOf(Buffer.from(body).toString(), 'Code') ?? '';
}

function textOf(xml: string, element: string): string | undefined {
  const [, text] = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(xml) ?? [];
  return text?.replace(/&(#x?[0-9a-f]+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return NAMED[name] ?? whole;
    const isHex = name[1] === 'x' || name[1] === 'X';
    return String.fromCodePoint(Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10));
  });
}
