import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ReplicaRegistration } from '@trellis/contract/shapes/replica.ts';

/**
 * What a replica proves that it knows the secret by: everything that it tells, in the order written
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
 * So that none of the two keeps in the open what the other encrypts; it tells nobody else anything.
 */
export function proofOfMasterKey(secret: Uint8Array, masterKey: string | null): string {
  return hmac(secret, ['trellis master key', masterKey ?? '']);
}

/** What the primary answers a nonce with. */
export function proofOfPrimary(secret: Uint8Array, nonce: string): string {
  return hmac(secret, ['trellis primary', nonce]);
}

export function isSameProof(expected: string, given: string): boolean {
  const [one, other] = [expected, given].map((proof) => Buffer.from(proof, 'hex'));
  return one !== undefined && one.length === other?.length && timingSafeEqual(one, other);
}

/** As JSON, so that no two lists are the same text. */
function hmac(secret: Uint8Array, members: readonly (string | number)[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(members)).digest('hex');
}
