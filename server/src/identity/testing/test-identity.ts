import { AccessIndex } from '#access/access-index.ts';
import type { AuditEvent, AuditTrail } from '#access/audit-event.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { DB } from '#store/databases.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { expect } from 'vitest';
import { StoredAuditTrail } from '../audit-trail.ts';
import { IdentityService } from '../identity-service.ts';
import { KnownDevices } from '../known-devices.ts';
import { hashPassword } from '../passwords.ts';
import { TokenAuthenticator } from '../token-authenticator.ts';
import { TokenService } from '../token-service.ts';
import { TokenSignature } from '../token-claims.ts';
import { LastUses, TOKEN_USES } from '../last-uses.ts';
import { userKey } from '#access/user-names.ts';
import { addressChange } from '../user-addresses.ts';
import { findUser, userUid } from '../users.ts';
import { type VaultEntry, type VaultReader, writeCredential } from '../vault.ts';

export const TEST_KEY = 'a key that signs tokens, for tests';
export const TEST_PASSWORD = 'correct horse battery';

/** Sign-in and tokens over a real graph and vault, gone when disposed. */
export interface TestIdentity extends AsyncDisposable {
  readonly graph: TestGraph;
  readonly vault: VaultReader;
  readonly signature: TokenSignature;
  readonly identity: IdentityService;
  readonly tokens: TokenService;
  readonly audit: AuditTrail;
  readonly events: AuditEvent[];
  /**
   * Makes the parts again over the same storage, as after a restart, with another key when one is
   * given.
   */
  restart(key?: string): Pick<TestIdentity, 'identity' | 'tokens' | 'signature'>;
  /**
   * Creates or changes a user; an active one with `TEST_PASSWORD` unless the fields say otherwise.
   * Answers the UID.
   */
  putUser(name: string, fields?: Readonly<Record<string, boolean | string[]>>): Promise<string>;
  /** What the user has as an address from now on. */
  setAddress(name: string, email: string): Promise<void>;
  /** The token of a new session. */
  signIn(name: string): Promise<string>;
}

export async function openTestIdentity(): Promise<TestIdentity> {
  const graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  graph.reader.refresh();
  const vault = openTestVault(graph.storage);
  const access = new AccessIndex(graph.reader);
  const events: AuditEvent[] = [];
  const stored = new StoredAuditTrail({
    reader: graph.reader,
    commits: graph.writer,
    clock: graph.clock,
    logger: { error: (_fields, message) => expect.fail(message) },
  });
  const audit = auditInto(events, stored);
  const restart = (key = TEST_KEY) => {
    const signature = new TokenSignature(key);
    const { reader, writer: commits, clock } = graph;
    const uses = new LastUses(vault, TOKEN_USES);
    const tokenChanges = new OneAtATime();
    const parts = { reader, vault, commits, clock, signature, uses, audit, tokenChanges };
    const authenticator = new TokenAuthenticator(parts);
    const teamsOf = (uid: string) => access.teamsOf(uid);
    const devices = new KnownDevices(key, clock);
    const identity = new IdentityService({ ...parts, authenticator, teamsOf, devices });
    return { signature, identity, tokens: new TokenService(parts) };
  };
  const { signature, identity, tokens } = restart();
  const passwordHash = await hashPassword(TEST_PASSWORD);
  return {
    graph,
    vault,
    signature,
    identity,
    tokens,
    audit,
    events,
    restart,
    async putUser(name, fields = {}) {
      const changedAt = graph.clock.now();
      const credential = { passwordHash, changedAt, sessionsNotBefore: 0, keptSession: null };
      await graph.writer.commit({
        system: true,
        operations: [
          {
            op: 'addOrUpdate',
            type: '_User',
            key: userKey(name),
            fields: { UserName: name, Active: true, ...fields },
          },
        ],
        vault: [writeCredential(userUid(name), credential)],
      });
      return userUid(name);
    },
    async setAddress(name, after) {
      const uid = userUid(name);
      graph.reader.refresh();
      const before = findUser(graph.reader, uid)?.email ?? null;
      await graph.writer.commit({
        system: true,
        operations: [
          { op: 'update', uid, fields: { Email: after } },
          ...addressChange(graph.reader, uid, { before, after }),
        ],
      });
    },
    signIn: async (name) => (await identity.login(name, TEST_PASSWORD, '127.0.0.1')).token,
    async [Symbol.asyncDispose]() {
      vault[Symbol.dispose]();
      await graph[Symbol.asyncDispose]();
    },
  };
}

/** Keeps events in a list; only those of a commit are stored. */
function auditInto(events: AuditEvent[], stored: AuditTrail): AuditTrail {
  return {
    record: (event) => void events.push(event),
    operation: (event) => {
      events.push(event);
      return stored.operation(event);
    },
  };
}

/** The vault of a storage folder, always at the newest commit. */
function openTestVault(storage: string): VaultReader & Disposable {
  const snapshot = openSnapshotReader({ storage, environments: ['graph', 'vault'] });
  return {
    get(key) {
      snapshot.refresh();
      return snapshot.get(DB.vault, Buffer.from(key))?.slice();
    },
    list(prefix) {
      snapshot.refresh();
      const entries: VaultEntry[] = [];
      const range = { start: Buffer.from(prefix), end: Buffer.from(`${prefix}\uffff`) };
      snapshot.scan(DB.vault, range, (key, value) => {
        entries.push({ key: Buffer.from(key).toString(), value: value.slice() });
      });
      return entries;
    },
    [Symbol.dispose]: () => snapshot[Symbol.dispose](),
  };
}
