import { describe, expect, it } from 'vitest';
import { type Member, openScene } from './testing/replica-scene.ts';
import { failureOf, refusal, type Reply } from './testing/scripted-server.ts';

const away: Reply = { reset: true };
const UID = 'node-1';
const toPrimary: Reply = {
  status: 303,
  headers: { location: 'http://elsewhere.example/' },
  body: refusal('read_only_replica'),
};
const leaderless: Reply = {
  status: 503,
  headers: { 'retry-after': '0' },
  body: refusal('no_primary'),
};

const starting: Reply = { ...leaderless, body: refusal('not_ready') };

function follows(member: Member | undefined, term: number, reply = toPrimary): void {
  const headers = { 'x-msk-term': String(term) };
  Object.assign(member!, {
    reply,
    primaryHealth: { status: 503, headers, body: 'not primary' },
  });
}

function leads(member: Member | undefined, term: number): void {
  const headers = { 'x-msk-term': String(term) };
  Object.assign(member!, { reply: { body: {} }, primaryHealth: { headers, body: 'primary' } });
}

/** Three members, of which the first one leads; and a client that was given them. */
async function openMembers() {
  const scene = await openScene(2, {
    retry: { retriesMax: 1, pauseMs: 1, retryAfterMsMax: 1_000 },
  });
  leads(scene.primary, 1);
  for (const member of scene.replicas) follows(member, 1);
  return scene;
}

const write = (scene: Awaited<ReturnType<typeof openMembers>>) => scene.client.graph.ingest([]);

describe('a client that knows several members', () => {
  it('goes on at the one that has taken over, and repeats no write that may have arrived', async () => {
    const scene = await openMembers();
    await write(scene);
    expect(scene.counts()).toEqual([0, 0, 1]);
    scene.primary.leave();
    leads(scene.replicas[1], 2);
    expect(await failureOf(write(scene))).toMatchObject({ code: 'connection_failed' });
    expect(scene.counts()).toEqual([0, 0, 2]);
    await write(scene);
    expect(scene.counts()).toEqual([0, 1, 2]);
    expect(scene.replicas[1]!.searches.some(({ headers }) => 'authorization' in headers)).toBe(
      false,
    );
  });

  it('sends what the old primary sends on, once, to the new one', async () => {
    const scene = await openMembers();
    leads(scene.replicas[0], 2);
    follows(scene.primary, 2);
    await write(scene);
    await write(scene);
    expect(scene.counts()).toEqual([2, 0, 1]);
  });

  it('waits for one to take over, however often it was told that there is none', async () => {
    const scene = await openMembers();
    scene.primary.leave();
    for (const member of scene.replicas) follows(member, 1, leaderless);
    await failureOf(write(scene));
    let told = 0;
    const reply = (): Reply => {
      if (++told === 5) leads(scene.replicas[0], 2);
      scene.clock.advance(250);
      return [leaderless, toPrimary, starting][told % 3]!;
    };
    for (const member of scene.replicas) member.reply = reply;
    await write(scene);
    expect(told).toBe(5);
    expect(scene.replicas[0]!.seen.length + scene.replicas[1]!.seen.length).toBe(6);
  });

  it('waits no longer than it was told to, and not at all without retries', async () => {
    const scene = await openMembers();
    const patient = { ...leaderless, headers: { 'retry-after': '2' } };
    for (const member of [scene.primary, ...scene.replicas]) follows(member, 1, patient);
    expect(await failureOf(write(scene))).toMatchObject({ code: 'no_primary' });
    const hasty = await openScene(1, { retry: { retriesMax: 0 } });
    for (const member of [hasty.primary, ...hasty.replicas]) follows(member, 1, leaderless);
    expect(await failureOf(hasty.client.graph.ingest([]))).toMatchObject({ code: 'no_primary' });
    expect(hasty.counts()).toEqual([0, 1]);
  });

  it('does not take one for the primary that has lost the lease without knowing', async () => {
    const scene = await openMembers();
    scene.primary.reply = () => {
      scene.clock.advance(250);
      return leaderless;
    };
    leads(scene.replicas[0], 2);
    await write(scene);
    await write(scene);
    expect(scene.counts().slice(0, 2)).toEqual([2, 0]);
    expect(scene.primary.seen.length).toBeLessThan(3);
  });

  it('leaves a primary that does not answer any more while a call waits for it', async () => {
    const scene = await openMembers();
    scene.primary.leave({ silent: true });
    const sent = scene.primary.request();
    const reading = scene.client.nodes.get(UID, { forcePrimary: true });
    await sent;
    leads(scene.replicas[0], 2);
    scene.clock.advance(5_000);
    await reading;
    expect(scene.counts()).toEqual([1, 0, 1]);
  });
});

it('takes no promoted replica for the primary: it has another history', async () => {
  const scene = await openScene(1, { retry: { retriesMax: 1, pauseMs: 1 } });
  scene.primary.leave();
  scene.replicas[0]!.primaryHealth = { body: 'primary' };
  for (let i = 0; i < 2; i++) {
    expect(await failureOf(scene.client.graph.ingest([]))).toMatchObject({
      code: 'connection_failed',
    });
  }
  expect(scene.counts()).toEqual([0, 2]);
  scene.primary.leave({ body: {} });
  scene.primary.primaryHealth = { body: 'primary' };
  await scene.client.graph.ingest([]);
  expect(scene.counts()).toEqual([0, 3]);
});

it('asks nobody else about an answer that only looks like one of a member that follows', async () => {
  const scene = await openScene(0);
  scene.primary.reply = { status: 503, body: refusal('no_primary') };
  expect(await failureOf(scene.client.graph.ingest([]))).toMatchObject({ code: 'no_primary' });
  scene.primary.reply = away;
  await failureOf(scene.client.graph.ingest([]));
  expect(scene.primary.searches).toHaveLength(0);
});
