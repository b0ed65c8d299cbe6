import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSameProof, proofOfPrimary, proofOfReplica } from './registration.ts';

const secret = Buffer.from('a secret of 32 bytes, more or less');
const registration = fc.record({
  replicaUID: fc.string(),
  publicAddress: fc.string(),
  serverAddress: fc.string(),
  epoch: fc.string(),
  sequence: fc.nat(),
  version: fc.string(),
  masterKeyProof: fc.string(),
  time: fc.nat(),
  nonce: fc.string(),
});

test('a proof is of one registration and one secret', () => {
  fc.assert(
    fc.property(registration, registration, (one, other) => {
      const proof = proofOfReplica(secret, one);
      expect(proof).toMatch(/^[0-9a-f]{64}$/);
      expect(isSameProof(proofOfReplica(secret, { ...one }), proof)).toBe(true);
      const isSame = JSON.stringify(one) === JSON.stringify(other);
      expect(isSameProof(proofOfReplica(secret, other), proof)).toBe(isSame);
      expect(isSameProof(proofOfReplica(Buffer.from('another'), one), proof)).toBe(false);
      expect(isSameProof(proofOfPrimary(secret, one.nonce), proof)).toBe(false);
    }),
  );
});

test('what is no proof is none', () => {
  const proof = proofOfPrimary(secret, 'nonce');
  for (const other of ['', 'zz', proof.slice(2), `${proof}00`, proof.toUpperCase().slice(1)]) {
    expect(isSameProof(proof, other)).toBe(false);
  }
});
