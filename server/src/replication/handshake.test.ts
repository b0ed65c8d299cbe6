import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import {
  REPLICATION_CHALLENGES_MAX,
  REPLICATION_HANDSHAKE_TIMEOUT_MS,
  REPLICATION_REQUEST_BYTES_MAX,
} from '#base/replication-limits.ts';
import { connectReplica } from './replica-channel.ts';
import { deriveReplicationSecret } from './session-keys.ts';
import type { ReplicationEvent } from './replica-registry.ts';
import type { AuthenticateReply, AuthenticateRequest } from './service-definition.ts';
import { connectionTo, REPLICA_UID, register, startPrimary } from './testing/cluster.ts';
import { startFalsePrimary } from './testing/false-primary.ts';
import { framed, RawReplica } from './testing/raw-replica.ts';

const OTHER_SECRET = deriveReplicationSecret(Buffer.from('a key that one side made up'));
const FOLLOW = { method: 'Follow', number: 1 } as const;
const NOTIFY = { method: 'Notify', number: 2 } as const;

function rejections(events: readonly ReplicationEvent[]): string[] {
  return events.flatMap((event) => (event.kind === 'rejected' ? [event.reason] : []));
}

describe('the handshake', () => {
  it('tells each side the version of the other, and the replica where the log stands', async () => {
    await using primary = await startPrimary();
    await primary.log.append(3, Buffer.from('a commit'));
    using channel = await primary.connect();
    expect(channel.welcome).toEqual({
      version: '26.11.0',
      epoch: primary.log.epoch,
      firstSequence: 1,
      lastSequence: 3,
    });
    expect(primary.server.replicas()).toMatchObject([{ version: '26.11.1' }]);
    expect(primary.events.map(({ kind }) => kind)).toEqual(['registered', 'connected']);
  });

  it('fails for a replica with another secret, and the primary tells why', async () => {
    await using primary = await startPrimary();
    const connecting = connectReplica(connectionTo(primary.server.port, REPLICA_UID, OTHER_SECRET));
    await expect(connecting).rejects.toMatchObject({
      code: 'replication_not_authenticated',
      message: 'replication is not authenticated',
    });
    expect(rejections(primary.events)).toEqual(['invalid secret']);
    expect(JSON.stringify(primary.events)).not.toContain(OTHER_SECRET.toString('hex'));
  });

  it('fails for a replica that is not registered, and for one that was dropped', async () => {
    await using primary = await startPrimary();
    const { port } = primary.server;
    await expect(
      connectReplica(connectionTo(port, '01JD0000000000000000000002')),
    ).rejects.toMatchObject({ code: 'replica_not_registered' });
    expect(rejections(primary.events)).toEqual(['not registered']);
    primary.clock.time += 600_000;
    primary.timers.fire();
    await expect(primary.connect()).rejects.toMatchObject({ code: 'replica_not_registered' });
    register(primary.server, REPLICA_UID);
    using channel = await primary.connect();
    expect(channel.welcome.lastSequence).toBe(0);
  });

  it('fails when nobody listens, and when whoever listens does not know the secret', async () => {
    const primary = await startPrimary();
    const { port } = primary.server;
    await primary[Symbol.asyncDispose]();
    await expect(primary.connect(port)).rejects.toMatchObject({ code: 'replication_unavailable' });
    await using stranger = await startPrimary({ secret: OTHER_SECRET });
    await expect(stranger.connect()).rejects.toMatchObject({
      code: 'replication_not_authenticated',
    });
  });

  it('fails when the primary cannot prove that it knows the secret, whatever it answers', async () => {
    const answers: ((request: AuthenticateRequest) => AuthenticateReply)[] = [
      ({ proof, hello }) => ({ proof, welcome: hello }),
      ({ hello }) => ({ proof: new Uint8Array(32), welcome: hello }),
      ({ hello }) => ({ proof: new Uint8Array(0), welcome: hello }),
    ];
    for (const answer of answers) {
      await using primary = await startFalsePrimary(answer);
      await expect(connectReplica(connectionTo(primary.port))).rejects.toMatchObject({
        code: 'replication_not_authenticated',
      });
    }
  });

  it('cannot be replayed, neither while its session is open nor after it', async () => {
    await using primary = await startPrimary();
    using raw = new RawReplica(primary.server.port);
    const { authenticate, answer } = await raw.handshake();
    expect(raw.readAuthenticated(answer)).toBeDefined();
    expect(await raw.send(authenticate)).toMatchObject({ status: status.UNAVAILABLE });
    using channel = await primary.connect();
    expect(channel.welcome.version).toBe('26.11.0');
    expect(await raw.send(authenticate)).toMatchObject({ status: status.UNAVAILABLE });
  });

  it('must be ended in time', async () => {
    await using primary = await startPrimary();
    using raw = new RawReplica(primary.server.port);
    const { authenticate, id } = await raw.handshake(OTHER_SECRET);
    expect(id).toHaveLength(16);
    // A challenge is good for one try, however it ended.
    expect(await raw.send(authenticate)).toMatchObject({ status: status.UNAVAILABLE });
    const now = primary.clock.now.bind(primary.clock);
    let calls = 0;
    primary.clock.now = () => now() + (calls++ === 0 ? 0 : REPLICATION_HANDSHAKE_TIMEOUT_MS + 1);
    const late = await raw.handshake();
    expect(late.answer).toMatchObject({ status: status.UNAVAILABLE });
    calls = 0;
    primary.clock.now = () => now() + (calls++ === 0 ? 0 : REPLICATION_HANDSHAKE_TIMEOUT_MS);
    const inTime = await raw.handshake();
    expect(raw.readAuthenticated(inTime.answer)).toBeDefined();
  });
});

describe('a call of a session', () => {
  it('is made once: sent again, or as another method, it is refused', async () => {
    await using primary = await startPrimary();
    await primary.log.append(1, Buffer.from('a commit'));
    using raw = new RawReplica(primary.server.port);
    const session = await raw.handshake();
    const request = { epoch: primary.log.epoch, from: 1 };
    const follow = raw.call(session, FOLLOW, request);
    const answer = await raw.send(follow);
    expect(raw.read(session, FOLLOW, answer).includes('a commit')).toBe(true);
    const again = await raw.send(follow);
    expect(again).toMatchObject({ status: status.UNAUTHENTICATED, message: undefined });
    const moved = raw.call(session, NOTIFY, {}, session.keys.callProof({ ...FOLLOW, number: 2 }));
    expect(await raw.send(moved)).toMatchObject({ status: status.UNAUTHENTICATED });
    const path = {
      ...raw.call(session, { ...FOLLOW, number: 3 }, request),
      path: raw.call(session, NOTIFY, {}).path,
    };
    expect(await raw.send(path)).toMatchObject({ status: status.UNAUTHENTICATED });
    expect(rejections(primary.events)).toEqual(Array.from({ length: 3 }, () => 'invalid secret'));
  });

  it('needs a proof and a session that is open', async () => {
    await using primary = await startPrimary();
    using raw = new RawReplica(primary.server.port);
    const session = await raw.handshake();
    const { path, body } = raw.call(session, FOLLOW, {});
    expect(await raw.send({ path, body, headers: {} })).toMatchObject({
      status: status.UNAUTHENTICATED,
    });
    const unknown = { ...session, id: Buffer.alloc(16) };
    expect(await raw.send(raw.call(unknown, FOLLOW, {}))).toMatchObject({
      status: status.UNAVAILABLE,
    });
    const former = raw.call(session, FOLLOW, { epoch: primary.log.epoch, from: 1 });
    using channel = await primary.connect();
    expect(channel.welcome.firstSequence).toBe(1);
    expect(await raw.send(former)).toMatchObject({ status: status.UNAVAILABLE });
  });

  it('cannot carry what another call carried', async () => {
    await using primary = await startPrimary();
    using raw = new RawReplica(primary.server.port);
    const session = await raw.handshake();
    const request = { epoch: primary.log.epoch, from: 1 };
    const first = raw.call(session, FOLLOW, request);
    const second = raw.call(session, { ...FOLLOW, number: 2 }, request);
    expect(await raw.send({ ...second, body: first.body })).toMatchObject({
      status: status.DATA_LOSS,
    });
  });

  it('may overtake others, but old numbers are refused', async () => {
    await using primary = await startPrimary();
    await primary.log.append(1, Buffer.from('a commit'));
    using raw = new RawReplica(primary.server.port);
    const session = await raw.handshake();
    const at = async (number: number): Promise<boolean> => {
      const request = { epoch: primary.log.epoch, from: 1 };
      const answer = await raw.send(raw.call(session, { ...FOLLOW, number }, request));
      return answer.message !== undefined;
    };
    expect(await at(2_000)).toBe(true);
    expect(await at(1_999)).toBe(true);
    expect(await at(1_999)).toBe(false);
    expect(await at(2_000 - 1_023)).toBe(true);
    expect(await at(2_000 - 1_024)).toBe(false);
  });
});

describe('a stranger', () => {
  it('cannot make the primary keep more than so many handshakes', async () => {
    await using primary = await startPrimary();
    using raw = new RawReplica(primary.server.port);
    const { authenticate: _, ...first } = await raw.handshake(OTHER_SECRET);
    expect(first.answer.status).toBe(status.UNAUTHENTICATED);
    const flood = Array.from({ length: REPLICATION_CHALLENGES_MAX }, () =>
      raw.handshake(OTHER_SECRET),
    );
    expect(await Promise.all(flood)).toHaveLength(REPLICATION_CHALLENGES_MAX);
    using channel = await primary.connect();
    expect(channel.welcome.lastSequence).toBe(0);
  });

  it('is refused messages that are larger than any request', async () => {
    await using primary = await startPrimary();
    using raw = new RawReplica(primary.server.port);
    const path = '/trellis.replication.v1.Replication/Challenge';
    const body = framed(Buffer.alloc(REPLICATION_REQUEST_BYTES_MAX + 1));
    expect(await raw.send({ path, headers: {}, body })).toMatchObject({
      status: status.RESOURCE_EXHAUSTED,
    });
    const longest = framed(Buffer.alloc(REPLICATION_REQUEST_BYTES_MAX));
    expect((await raw.send({ path, headers: {}, body: longest })).status).not.toBe(
      status.RESOURCE_EXHAUSTED,
    );
  });

  it('learns nothing that the secret went into', async () => {
    await using primary = await startPrimary();
    using raw = new RawReplica(primary.server.port);
    const { answer } = await raw.handshake(OTHER_SECRET);
    expect(answer).toEqual({
      status: status.UNAUTHENTICATED,
      details: 'replication is not authenticated',
      message: undefined,
    });
  });
});
