import { randomBytes } from 'node:crypto';
import {
  REPLICATION_CHALLENGES_MAX,
  REPLICATION_HANDSHAKE_TIMEOUT_MS,
} from '#base/replication-limits.ts';
import type { Clock } from '#base/clock.ts';
import type { Problem } from '#base/problem.ts';
import { notAuthenticated, unavailable } from './channel-problem.ts';
import { isSameProof, NONCE_BYTES, SESSION_BYTES, SessionKeys } from './session-keys.ts';
import type { CallName } from './session-keys.ts';
import type { ChallengeReply, ChallengeRequest } from './service-definition.ts';

/**
 * Numbers of calls come in order but for those that overtake one another; older ones than this are
 * refused unseen.
 */
const CALLS_REMEMBERED = 1_024;

interface Challenge {
  readonly replicaUID: string;
  readonly keys: SessionKeys;
  readonly begunAt: number;
}

/**
 * A replica that has proved the secret, from the handshake until the next one of the same replica.
 */
export class PrimarySession {
  readonly replicaUID: string;
  readonly keys: SessionKeys;
  readonly #ending = new AbortController();
  readonly #calls = new Set<number>();
  #newestCall = 0;

  constructor(replicaUID: string, keys: SessionKeys) {
    this.replicaUID = replicaUID;
    this.keys = keys;
  }

  /** Aborted when the session is closed. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  close(why: Problem): void {
    this.#ending.abort(why);
  }

  /** Throws `replication_not_authenticated` unless the call is proved and was never made before. */
  admit(call: CallName, proof: Uint8Array): void {
    const { number } = call;
    if (!isSameProof(this.keys.callProof(call), proof)) throw notAuthenticated();
    if (this.#calls.has(number) || number <= this.#newestCall - CALLS_REMEMBERED) {
      throw notAuthenticated();
    }
    this.#newestCall = Math.max(this.#newestCall, number);
    this.#calls.add(number);
    for (const old of this.#calls) {
      if (old > this.#newestCall - CALLS_REMEMBERED) break;
      this.#calls.delete(old);
    }
  }
}

/**
 * The handshakes and sessions of a primary. A replica has one session: a new one takes the place of
 * the former.
 */
export class PrimarySessions {
  readonly #secret: Uint8Array;
  readonly #clock: Clock;
  /** By session id, the oldest first. */
  readonly #challenges = new Map<string, Challenge>();
  readonly #sessions = new Map<string, PrimarySession>();

  constructor(secret: Uint8Array, clock: Clock) {
    this.#secret = secret;
    this.#clock = clock;
  }

  /** Anybody may ask for one; beyond REPLICATION_CHALLENGES_MAX the oldest is forgotten. */
  challenge({ replicaUid, nonce: replicaNonce }: ChallengeRequest): ChallengeReply {
    if (replicaNonce.length !== NONCE_BYTES) throw notAuthenticated();
    const session = randomBytes(SESSION_BYTES);
    const primaryNonce = randomBytes(NONCE_BYTES);
    const handshake = { replicaUID: replicaUid, session, replicaNonce, primaryNonce };
    const [oldest] = this.#challenges.keys();
    if (this.#challenges.size >= REPLICATION_CHALLENGES_MAX && oldest !== undefined) {
      this.#challenges.delete(oldest);
    }
    this.#challenges.set(session.toString('hex'), {
      replicaUID: replicaUid,
      keys: new SessionKeys(this.#secret, handshake),
      begunAt: this.#clock.now(),
    });
    return { session, nonce: primaryNonce };
  }

  /**
   * The session that a replica has proved to know the secret for; it opens when `open` is called
   * with it.
   */
  authenticate(id: Uint8Array, proof: Uint8Array): PrimarySession {
    const name = Buffer.from(id).toString('hex');
    const challenge = this.#challenges.get(name);
    // Each is good for one try.
    this.#challenges.delete(name);
    const oldestBegun = this.#clock.now() - REPLICATION_HANDSHAKE_TIMEOUT_MS;
    if (challenge === undefined || challenge.begunAt < oldestBegun) {
      throw unavailable('the handshake is not known, or took too long');
    }
    if (!isSameProof(challenge.keys.handshakeProof('replica'), proof)) throw notAuthenticated();
    return new PrimarySession(challenge.replicaUID, challenge.keys);
  }

  open(id: Uint8Array, session: PrimarySession): void {
    this.close(session.replicaUID, unavailable('the replica has connected anew'));
    this.#sessions.set(Buffer.from(id).toString('hex'), session);
  }

  /** Ends the calls of the replica's session with `why`. */
  close(replicaUID: string, why: Problem): void {
    for (const [name, session] of this.#sessions) {
      if (session.replicaUID !== replicaUID) continue;
      this.#sessions.delete(name);
      session.close(why);
    }
  }

  /**
   * Throws `replication_unavailable` when there is none, as after a restart: the replica then
   * shakes hands again.
   */
  get(id: string): PrimarySession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw unavailable('the session is not known');
    return session;
  }
}
