import {
  BACKUP_LEASE_MS,
  BACKUP_LEASE_RENEWAL_MS,
  BACKUP_LEASE_SETTLING_MS,
  BACKUP_LEASE_TRIES_MAX,
  BACKUP_S3_TIMEOUT_MS,
} from '#base/backup-limits.ts';
import type { Clock, Timers } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { targetFailed } from './backup-problem.ts';
import type { S3Client, S3SendOptions } from './s3-client.ts';

export interface LeaseParts {
  readonly client: S3Client;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly pause: (ms: number) => Promise<void>;
  /** A name that no other claim has. */
  readonly newHolder: () => string;
}

/**
 * S3 has no locks that end with who holds them. So who writes keeps an object in the target, which
 * is renewed while the work lasts and removed at its end. One that has not been renewed for its
 * term is of a server that was killed, and may be taken over. Only the store's word counts: it
 * writes on conditions, one at a time, and its clock tells the age. Who cannot renew stops writing
 * before anybody else may begin; a write has time left to end in.
 *
 * A store that does not know conditions lets two that begin in the same moment both write the
 * object; the last one stands. There each waits a moment and looks whose it is, which `note` is
 * told.
 */
export async function claimLease(
  parts: LeaseParts,
  note: (text: string) => void,
): Promise<S3Lease> {
  const { client, clock, pause } = parts;
  const object = new LeaseObject(client, clock);
  const holder = parts.newHolder();
  const first = { holder, renewals: 0 };
  for (let tries = 1; tries <= BACKUP_LEASE_TRIES_MAX; tries++) {
    const seen = await object.read();
    if (seen !== undefined && seen.ageMs < BACKUP_LEASE_MS) throw inUse(client, seen);
    const renewedAt = clock.now();
    const condition: WriteCondition =
      seen === undefined ? { 'if-none-match': '*' } : { 'if-match': seen.etag };
    let written = await object.write(first, condition);
    if (written.kind === 'not-known') written = await object.write(first, {});
    const etag = written.kind === 'written' ? written.etag : await ownEtag(object, first);
    // Somebody else was first, or has just ended.
    if (etag === undefined) continue;
    const again = await object.write(first, { 'if-none-match': '*' });
    const isConditional = again.kind === 'refused';
    if (!isConditional) {
      note(`${client.name} cannot write on conditions: two servers that begin at once may both.`);
      await pause(BACKUP_LEASE_SETTLING_MS);
      const standing = await object.read();
      if (standing?.holder !== holder) throw inUse(client, standing);
    }
    return new S3Lease(parts, { object, holder, etag, renewedAt, isConditional });
  }
  throw inUse(client, undefined);
}

/**
 * The ETag of our own write, when an earlier try has written although its answer was lost and this
 * one was refused.
 */
async function ownEtag(
  object: LeaseObject,
  { holder, renewals }: { readonly holder: string; readonly renewals: number },
): Promise<string | undefined> {
  const seen = await object.read();
  return seen?.holder === holder && seen.renewals === renewals ? seen.etag : undefined;
}

function inUse({ name }: S3Client, seen: SeenLease | undefined): Problem {
  const leftSeconds = Math.ceil((BACKUP_LEASE_MS - (seen?.ageMs ?? 0)) / 1_000);
  return new Problem('backup_target_in_use', `another server writes backups to ${name}`, {
    hint: `Give each workspace a target of its own. If that server was killed, its claim ends in ${leftSeconds} s.`,
  });
}

interface Held {
  readonly object: LeaseObject;
  readonly holder: string;
  readonly isConditional: boolean;
  readonly etag: string;
  /** Before the request that wrote it. */
  readonly renewedAt: number;
}

/** The claim of one who writes; disposing removes it. */
export class S3Lease implements AsyncDisposable {
  readonly #parts: LeaseParts;
  readonly #object: LeaseObject;
  readonly #held: Held;
  readonly #timer: Disposable;
  #etag: string;
  #renewedAt: number;
  #renewals = 0;
  #isTaken = false;
  #renewing: Promise<void> | undefined;

  constructor(parts: LeaseParts, held: Held) {
    this.#parts = parts;
    this.#object = held.object;
    this.#held = held;
    this.#etag = held.etag;
    this.#renewedAt = held.renewedAt;
    this.#timer = parts.timers.every(BACKUP_LEASE_RENEWAL_MS, () => {
      this.#renewing ??= this.#renew()
        // The next one tries again; until then the claim runs out by itself.
        .catch(() => undefined)
        .finally(() => (this.#renewing = undefined));
    });
  }

  /**
   * Throws `backup_target_in_use` from when somebody else may write. A request that begins now must
   * end before.
   */
  readonly check = (): void => {
    const unrenewedMs = this.#parts.clock.now() - this.#renewedAt;
    if (!this.#isTaken && unrenewedMs < BACKUP_LEASE_MS - BACKUP_S3_TIMEOUT_MS) return;
    throw new Problem(
      'backup_target_in_use',
      `the claim on ${this.#parts.client.name} could not be renewed in time: another server may write there now`,
    );
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer[Symbol.dispose]();
    await this.#renewing;
    try {
      await this.#object.remove({ check: this.check });
    } catch {
      // It is another one's, or runs out by itself: what was written is good.
    }
  }

  async #renew(): Promise<void> {
    const { holder, isConditional } = this.#held;
    const startedAt = this.#parts.clock.now();
    const lease = { holder, renewals: this.#renewals + 1 };
    if (!isConditional && (await this.#object.read())?.holder !== holder) {
      this.#isTaken = true;
      return;
    }
    const condition: WriteCondition = isConditional ? { 'if-match': this.#etag } : {};
    const written = await this.#object.write(lease, condition, { check: this.check });
    const etag = written.kind === 'written' ? written.etag : await ownEtag(this.#object, lease);
    if (etag === undefined) {
      this.#isTaken = true;
      return;
    }
    this.#etag = etag;
    this.#renewedAt = startedAt;
    this.#renewals = lease.renewals;
  }
}

/** Who holds a target, as it stands in the object. */
interface LeaseHolder {
  /** Another one for each claim. */
  readonly holder: string;
  /** Counts the renewals, so that no two states of the object are the same and its ETags differ. */
  readonly renewals: number;
}

interface SeenLease {
  /** Undefined where the object is none that a server of this kind has written. */
  readonly holder: string | undefined;
  readonly renewals: number;
  readonly etag: string;
  /** Since it was written, by the clock of the store: those of two servers may differ. */
  readonly ageMs: number;
}

/** `not-known`: the store does not know such a condition. */
type WriteOutcome =
  | { readonly kind: 'written'; readonly etag: string }
  | { readonly kind: 'refused' | 'not-known' };

type WriteCondition =
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
class LeaseObject {
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
