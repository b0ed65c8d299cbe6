import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;

/**
 * The secret that primary and replica share: 32 bytes from the key that MSK_JWT_KEY holds, by
 * HKDF-SHA256, so that neither tells anything of the other (specification, section 2.9). It is
 * never sent.
 */
export function deriveReplicationSecret(jwtKey: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', jwtKey, '', 'trellis replication', SECRET_BYTES));
}

export const NONCE_BYTES = 32;
export const SESSION_BYTES = 16;
const KEY_BYTES = 32;

export type Role = 'primary' | 'replica';

/** What both sides have told each other in the open before either is trusted. */
export interface Handshake {
  readonly replicaUID: string;
  readonly session: Uint8Array;
  readonly replicaNonce: Uint8Array;
  readonly primaryNonce: Uint8Array;
}

/** One call within a session; its number is used once. */
export interface CallName {
  readonly method: string;
  readonly number: number;
}

/** For what the handshake itself carries in frames; calls are numbered from 1. */
export const HANDSHAKE_CALL: CallName = { method: 'Authenticate', number: 0 };

/**
 * The keys and proofs of one session. All come from the secret and the whole handshake by
 * HKDF-SHA256, to which both sides gave a fresh nonce, so nothing that was recorded is of use in
 * another session:
 *
 *     session key = HKDF(secret, salt: replica's nonce | primary's nonce,
 *                        info: replica UID and session)
 *     proof       = HMAC-SHA256(session key, purpose); the purpose is the role in the handshake,
 *                   and method and number in a call
 *     frame key   = HKDF(session key, info: direction, method and number of the call)
 */
export class SessionKeys {
  readonly #key: Uint8Array;

  constructor(secret: Uint8Array, handshake: Handshake) {
    const { replicaUID, session, replicaNonce, primaryNonce } = handshake;
    const salt = Buffer.concat([replicaNonce, primaryNonce]);
    const info = JSON.stringify(['session', replicaUID, Buffer.from(session).toString('hex')]);
    this.#key = new Uint8Array(hkdfSync('sha256', secret, salt, info, KEY_BYTES));
  }

  handshakeProof(role: Role): Buffer {
    return this.#proof(['handshake', role]);
  }

  callProof({ method, number }: CallName): Buffer {
    return this.#proof(['call', method, number]);
  }

  /** For the frames that `sender` sends in one call. */
  frameKey(sender: Role, { method, number }: CallName): Uint8Array {
    const info = JSON.stringify(['frames', sender, method, number]);
    return new Uint8Array(hkdfSync('sha256', this.#key, '', info, KEY_BYTES));
  }

  #proof(purpose: readonly (string | number)[]): Buffer {
    return createHmac('sha256', this.#key).update(JSON.stringify(purpose)).digest();
  }
}

/** In constant time, so that the time of a refusal does not tell how much of a guess was right. */
export function isSameProof(expected: Uint8Array, given: Uint8Array): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given);
}
