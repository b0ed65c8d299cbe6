import type { Clock } from '#base/clock.ts';
import { targetFailed } from './backup-problem.ts';
import type { S3Client, S3SendOptions } from './s3-client.ts';

/** Who holds a target, as it stands in the object. */
export interface LeaseHolder {
  /** Another one for each claim. */
  readonly holder: string;
  /** So that no two states of the object are the same, and its ETags differ. */
  readonly renewals: number;
}

export interface SeenLease {
  /** Undefined where the object is none that a server of this kind has written. */
  readonly holder: string | undefined;
  readonly renewals: number;
  readonly etag: string;
  /** Since it was written, by the clock of the store: those of two servers may differ. */
  readonly ageMs: number;
}

/** `not-known`: the store does not know such a condition. */
export type WriteOutcome =
  | { readonly kind: 'written'; readonly etag: string }
  | { readonly kind: 'refused' | 'not-known' };

export type WriteCondition =
  | { readonly 'if-none-match': '*' }
  | { readonly 'if-match': string }
  | Readonly<Record<string, never>>;

const PATH = 'lock/lease.json';
const DOING = 'claiming the place of backups';
/**
 * Not found and conflict: the object has gone, or is being written, while the condition was looked
 * at.
 */
const REFUSALS = [404, 409, 412];
const NOT_IMPLEMENTED = 501;

/**
 * The object in a store of objects that says who writes there: read and written, without what it
 * means.
 */
export class LeaseObject {
  readonly #client: S3Client;
  readonly #key: string;
  readonly #clock: Clock;

  constructor(client: S3Client, clock: Clock) {
    this.#client = client;
    this.#key = client.keyOf(PATH);
    this.#clock = clock;
  }

  async read(): Promise<SeenLease | undefined> {
    const answer = await this.#client.send(DOING, { method: 'GET', key: this.#key });
    if (answer.status === 404) return undefined;
    const { headers } = answer;
    const etag = headers.get('etag');
    const writtenAt = Date.parse(headers.get('last-modified') ?? '');
    if (etag === null || Number.isNaN(writtenAt)) {
      throw targetFailed(DOING, new Error(`${this.#client.name} tells neither ETag nor time`));
    }
    const toldAt = Date.parse(headers.get('date') ?? '');
    const now = Number.isNaN(toldAt) ? this.#clock.now() : toldAt;
    return { ...parse(answer.body), etag, ageMs: now - writtenAt };
  }

  async write(
    lease: LeaseHolder,
    condition: WriteCondition,
    options?: Pick<S3SendOptions, 'check'>,
  ): Promise<WriteOutcome> {
    const answer = await this.#client.send(
      DOING,
      {
        method: 'PUT',
        key: this.#key,
        headers: condition,
        body: Buffer.from(JSON.stringify(lease)),
      },
      { ...options, expected: [...REFUSALS, NOT_IMPLEMENTED] },
    );
    if (answer.status === NOT_IMPLEMENTED) return { kind: 'not-known' };
    if (REFUSALS.includes(answer.status)) return { kind: 'refused' };
    return { kind: 'written', etag: answer.headers.get('etag') ?? '' };
  }

  async remove(options: Pick<S3SendOptions, 'check'>): Promise<void> {
    await this.#client.send(DOING, { method: 'DELETE', key: this.#key }, options);
  }
}

function parse(body: Uint8Array): Pick<SeenLease, 'holder' | 'renewals'> {
  const unknown = { holder: undefined, renewals: 0 };
  try {
    const read: unknown = JSON.parse(Buffer.from(body).toString());
    if (typeof read !== 'object' || read === null) return unknown;
    const holder: unknown = Reflect.get(read, 'holder');
    const renewals: unknown = Reflect.get(read, 'renewals');
    return typeof holder === 'string' ? { holder, renewals: Number(renewals) } : unknown;
  } catch {
    return unknown;
  }
}
