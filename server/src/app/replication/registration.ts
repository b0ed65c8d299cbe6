import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  replicaAdmission,
  type ReplicaAdmission,
  type ReplicaRegistration,
} from '@trellis/contract/shapes/replica.ts';
import { errorBody, errorCodeOf } from '@trellis/contract/errors.ts';
import { type Clock, systemClock, type Timers } from '#base/clock.ts';
import {
  REPLICA_REGISTRATION_AGE_MAX_MS,
  REPLICA_REGISTRATION_TIMEOUT_MS,
  REPLICA_REGISTRATIONS_REMEMBERED_MAX,
} from '#base/replication-limits.ts';
import { Problem } from '#base/problem.ts';
import type { History } from '#store/history.ts';
import { unreachable } from '#base/assert.ts';
import type { Logger } from '#observe/logger.ts';
import { RefusalLog } from './refusal-log.ts';

/**
 * The proof that a replica knows the secret: made of everything that it tells, in the order written
 * here.
 */
export function proofOfReplica(
  secret: Uint8Array,
  registration: Omit<ReplicaRegistration, 'proof'>,
): string {
  const { replicaUID, publicAddress, serverAddress, epoch, sequence, version } = registration;
  const { masterKeyProof, time, nonce } = registration;
  const addresses = [publicAddress, serverAddress];
  const told = [replicaUID, ...addresses, epoch, sequence, version, masterKeyProof, time, nonce];
  return hmac(secret, ['trellis replica', ...told]);
}

/**
 * The proof that both have the same master key, so that neither keeps in the open what the other
 * encrypts. It tells nobody else anything.
 */
function proofOfMasterKey(secret: Uint8Array, masterKey: string | null): string {
  return hmac(secret, ['trellis master key', masterKey ?? '']);
}

/** The proof that the primary gives for a nonce. */
export function proofOfPrimary(secret: Uint8Array, nonce: string): string {
  return hmac(secret, ['trellis primary', nonce]);
}

/** What is the same for all members with the same key. */
export function proofOfMember(secret: Uint8Array): string {
  return hmac(secret, ['trellis member']);
}

export function isSameProof(expected: string, given: string): boolean {
  const [one, other] = [expected, given].map((proof) => Buffer.from(proof, 'hex'));
  return one !== undefined && one.length === other?.length && timingSafeEqual(one, other);
}

/** As JSON, so that no two lists are the same text. */
function hmac(secret: Uint8Array, members: readonly (string | number)[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(members)).digest('hex');
}

export interface RegistrationOptions {
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly secret: Uint8Array;
  readonly replicaUID: string;
  readonly publicAddress: string;
  readonly serverAddress: string;
  readonly version: string;
}

const PATH = '/api/replicas/register';

/**
 * Registers with the primary: the key is proved and never sent, and the primary proves that it has
 * it too (specification, section 3.1). Throws `replication_unavailable` when the primary does not
 * answer, `replication_not_authenticated`, and what else the primary says.
 */
export async function registerReplica(
  options: RegistrationOptions,
  primaryAddress: string,
  history: History | undefined,
): Promise<ReplicaAdmission> {
  const { secret, replicaUID, publicAddress, serverAddress, version } = options;
  const nonce = randomBytes(32).toString('hex');
  const { epoch = '', sequence = 0 } = history ?? {};
  const registration = {
    replicaUID,
    publicAddress,
    serverAddress,
    version,
    epoch,
    sequence,
    masterKeyProof: proofOfMasterKey(secret, options.masterKey),
    time: systemClock.now(),
    nonce,
  };
  const body = { ...registration, proof: proofOfReplica(secret, registration) };
  const answer = await post(primaryAddress + PATH, body);
  const admission = replicaAdmission.safeParse(answer);
  if (!admission.success) {
    throw new Problem('replication_unavailable', `${primaryAddress} is no primary: ${PATH}`);
  }
  if (!isSameProof(proofOfPrimary(secret, nonce), admission.data.proof)) {
    throw new Problem('replication_not_authenticated', 'replication is not authenticated');
  }
  return admission.data;
}

async function post(url: string, body: object): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(REPLICA_REGISTRATION_TIMEOUT_MS),
    });
  } catch (cause) {
    const why = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const message = `the primary does not answer at ${url}: ${String(why)}`;
    throw new Problem('replication_unavailable', message, { cause });
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const refused = errorBody.safeParse(answer);
  if (!refused.success || response.status >= 500) {
    throw new Problem(
      'replication_unavailable',
      `the primary answers ${response.status} at ${url}`,
    );
  }
  const { code, message, hint } = refused.data.error;
  throw new Problem(
    errorCodeOf(code, 'replication_unavailable'),
    `the primary does not register this replica: ${message}`,
    hint === undefined ? {} : { hint },
  );
}

export interface RegistrationGateOptions {
  readonly secret: Uint8Array;
  readonly masterKey: string | null;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Lets registrations of replicas in that are proved, for the first time, with the same master key
 * and usable addresses.
 */
export class RegistrationGate implements Disposable {
  readonly #options: RegistrationGateOptions;
  readonly #seen: RegistrationsSeen;
  readonly #refusals: RefusalLog;

  constructor(options: RegistrationGateOptions) {
    const { clock, timers, logger } = options;
    this.#options = options;
    this.#seen = new RegistrationsSeen(clock);
    this.#refusals = new RefusalLog({ clock, timers, warn: (text) => logger.warn(text) });
  }

  /**
   * Throws `replication_not_authenticated`, `replication_busy`, `replication_master_key_differs`,
   * `invalid_request`.
   */
  admit({ proof, ...told }: ReplicaRegistration, address: string): void {
    const expected = proofOfReplica(this.#options.secret, told);
    if (!isSameProof(expected, proof)) throw this.#refuse(address, 'invalid secret', '');
    this.#requireFirstTime(expected, told.time, address);
    this.#checkMasterKey(told, address);
    this.#checkAddresses(told);
  }

  [Symbol.dispose](): void {
    this.#refusals[Symbol.dispose]();
  }

  /** Makes a registration that somebody has recorded worthless. */
  #requireFirstTime(proof: string, time: number, address: string): void {
    const verdict = this.#seen.admit(proof, time);
    switch (verdict) {
      case 'new':
        return;
      case 'other clock':
        throw this.#refuse(
          address,
          'its clock differs',
          ': the clocks differ by over five minutes',
        );
      case 'seen':
        throw this.#refuse(address, 'its registration was used before', ': it was used before');
      case 'earlier life':
      case 'too many':
        this.#refusals.refused(`a replica from ${address} is to register again: ${verdict}`);
        throw new Problem('replication_busy', 'the replica is to register again');
      default:
        unreachable(verdict);
    }
  }

  #refuse(address: string, reason: string, detail: string): Problem {
    this.#refusals.refused(`failed connection of a replica from ${address}: ${reason}`);
    const message = `replication is not authenticated${detail}`;
    return new Problem('replication_not_authenticated', message);
  }

  #checkMasterKey({ masterKeyProof }: { masterKeyProof: string }, address: string): void {
    const { secret, masterKey } = this.#options;
    if (isSameProof(proofOfMasterKey(secret, masterKey), masterKeyProof)) return;
    this.#refusals.refused(`a replica at ${address} was not registered: its master key differs`);
    const message = 'the master keys of primary and replica differ';
    throw new Problem('replication_master_key_differs', message);
  }

  #checkAddresses(told: Pick<ReplicaRegistration, 'publicAddress' | 'serverAddress'>): void {
    for (const path of ['publicAddress', 'serverAddress'] as const) {
      if (/^https?:\/\/[^/]/.test(told[path]) && URL.canParse(told[path])) continue;
      this.#refusals.refused(`a replica was not registered: URI format error in its ${path}`);
      const message = 'must be an http or https URL';
      throw new Problem('invalid_request', `body, ${path}: ${message}`, {
        details: { fields: [{ path, message }] },
      });
    }
  }
}

type RegistrationVerdict = 'new' | 'other clock' | 'seen' | 'earlier life' | 'too many';

/**
 * Says of registrations that are proved whether they are taken for the first time. One that was
 * recorded is worth nothing: within the time that clocks may differ by it is remembered, by its
 * proof; after that it is too old; and one of before the primary started, which remembers none of
 * them, is not taken.
 */
export class RegistrationsSeen {
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** The time at which each becomes too old, by its proof; nearly in the order of these times. */
  readonly #seen = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  /**
   * `proof` as the primary computes it, of which there is one way to write it; `time` is that of
   * the registration: milliseconds since the Unix epoch.
   */
  admit(proof: string, time: number): RegistrationVerdict {
    const now = this.#clock.now();
    if (Math.abs(now - time) > REPLICA_REGISTRATION_AGE_MAX_MS) return 'other clock';
    if (time < this.#startedAt) return 'earlier life';
    if (this.#seen.has(proof)) return 'seen';
    for (const [old, until] of this.#seen) {
      if (until >= now) break;
      this.#seen.delete(old);
    }
    if (this.#seen.size >= REPLICA_REGISTRATIONS_REMEMBERED_MAX) return 'too many';
    this.#seen.set(proof, time + REPLICA_REGISTRATION_AGE_MAX_MS);
    return 'new';
  }
}
