import { describe, expect, it } from 'vitest';
import { replicaName } from './replica-name.ts';
import { deriveReplicationSecret, isSameProof, SessionKeys } from './session-keys.ts';
import type { CallName, Handshake } from './session-keys.ts';

const SECRET = deriveReplicationSecret(Buffer.from('a key'));
const HANDSHAKE: Handshake = {
  replicaUID: '01JD0000000000000000000001',
  session: new Uint8Array(16).fill(1),
  replicaNonce: new Uint8Array(32).fill(2),
  primaryNonce: new Uint8Array(32).fill(3),
};
const CALL: CallName = { method: 'Follow', number: 1 };

/** Everything that comes from the keys of a session. */
function all(secret: Uint8Array, handshake: Handshake, call: CallName): string[] {
  const keys = new SessionKeys(secret, handshake);
  return [
    keys.handshakeProof('replica'),
    keys.handshakeProof('primary'),
    keys.callProof(call),
    keys.frameKey('replica', call),
    keys.frameKey('primary', call),
  ].map((bytes) => Buffer.from(bytes).toString('hex'));
}

describe('the keys of a session', () => {
  it('are the same for both sides, and each serves one purpose', () => {
    const values = all(SECRET, HANDSHAKE, CALL);
    expect(all(SECRET, { ...HANDSHAKE }, { ...CALL })).toEqual(values);
    expect(new Set(values).size).toBe(values.length);
  });

  it('share nothing with those of another secret or of another handshake', () => {
    const others: [Uint8Array, Handshake][] = [
      [deriveReplicationSecret(Buffer.from('another key')), HANDSHAKE],
      [SECRET, { ...HANDSHAKE, replicaUID: '01JD0000000000000000000002' }],
      [SECRET, { ...HANDSHAKE, session: new Uint8Array(16) }],
      [SECRET, { ...HANDSHAKE, replicaNonce: new Uint8Array(32) }],
      [SECRET, { ...HANDSHAKE, primaryNonce: new Uint8Array(32) }],
      [
        SECRET,
        {
          ...HANDSHAKE,
          replicaNonce: HANDSHAKE.primaryNonce,
          primaryNonce: HANDSHAKE.replicaNonce,
        },
      ],
    ];
    const values = all(SECRET, HANDSHAKE, CALL);
    for (const [secret, handshake] of others) {
      for (const value of all(secret, handshake, CALL)) expect(values).not.toContain(value);
    }
  });

  it('differ from call to call', () => {
    const calls: CallName[] = [
      CALL,
      { method: 'Follow', number: 2 },
      { method: 'Notify', number: 1 },
    ];
    const values = calls.flatMap((call) => all(SECRET, HANDSHAKE, call).slice(2));
    expect(new Set(values).size).toBe(values.length);
  });
});

describe('a proof', () => {
  it('is compared whole', () => {
    const proof = Buffer.from('0123456789abcdef');
    expect(isSameProof(proof, Buffer.from(proof))).toBe(true);
    expect(isSameProof(proof, proof.subarray(1))).toBe(false);
    expect(isSameProof(proof, Buffer.alloc(0))).toBe(false);
    expect(isSameProof(proof, Buffer.from('0123456789abcdeF'))).toBe(false);
  });
});

describe('the replication secret', () => {
  it('is 32 bytes that follow from the key alone and do not hold it', () => {
    const key = Buffer.from('a key of which both sides know');
    const secret = deriveReplicationSecret(key);
    expect(secret).toHaveLength(32);
    expect(deriveReplicationSecret(Buffer.from(key))).toEqual(secret);
    expect(secret.includes(key)).toBe(false);
    // Other machines must come to the same one.
    expect(secret.toString('hex')).toMatchInlineSnapshot(
      `"35da9cebb6fdc2ea5f9e62ecf73fe71663a0a0a1c0ec74d69c8d81d0816ceaff"`,
    );
  });
});

describe('the name of a replica', () => {
  it('follows from its UID and is easy to say', () => {
    expect(replicaName('01JD0000000000000000000001')).toMatchInlineSnapshot(`"silver-heather-15"`);
    const names = Array.from({ length: 500 }, (_, i) => replicaName(`replica ${i}`));
    for (const name of names) expect(name).toMatch(/^[a-z]+-[a-z]+-\d{1,2}$/);
    expect(new Set(names).size).toBeGreaterThan(490);
  });
});
