import { hkdfSync } from 'node:crypto';

const SECRET_BYTES = 32;

/**
 * The secret that primary and replica share: 32 bytes from the key that MSK_JWT_KEY holds, by
 * HKDF-SHA256, so that neither tells anything of the other (specification, section 2.9). It is
 * never sent.
 */
export function deriveReplicationSecret(jwtKey: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', jwtKey, '', 'trellis replication', SECRET_BYTES));
}
