import { describe, expect, it } from 'vitest';
import { Member, openScene, type Scene } from './testing/replica-scene.ts';
import { refusal } from './testing/scripted-server.ts';

const UID = 'node-1';
const MINUTE_MS = 60_000;
const away = { reset: true };

const checkCounts = ({ replicas }: Scene) => replicas.map(({ checks }) => checks.length);

describe('the list', () => {
  it.each([
    ['separated by ";"', (urls: string[]) => urls.join(';')],
    ['with spaces, gaps and repetitions', ([a, b]: string[]) => ` ${a} ;; ${b} ;${a}/;${a};`],
    ['with what is no URL', (urls: string[]) => ['nonsense', ...urls, 'https://', 'ftp://x']],
  ])('may be a text %s', async (_, listOf) => {
    const scene = await openScene(2);
    scene.client.setReplicas(listOf(scene.replicas.map(({ url }) => url)));
    for (let read = 0; read < 4; read++) await scene.client.nodes.get(UID);
    expect(scene.counts()).toEqual([2, 2, 0]);
  });

  it('is checked when it is set, and then no more', async () => {
    const scene = await openScene(2);
    expect(checkCounts(scene)).toEqual([0, 0]);
    for (let read = 0; read < 4; read++) await scene.client.nodes.get(UID);
    scene.clock.advance(60 * MINUTE_MS);
    await scene.client.nodes.get(UID);
    expect(checkCounts(scene)).toEqual([1, 1]);
    scene.client.setReplicas(scene.replicas.map(({ url }) => url));
    await scene.client.nodes.get(UID);
    await scene.client.nodes.get(UID);
    expect(checkCounts(scene)).toEqual([2, 2]);
  });
});

describe('a check', () => {
  it.each([
    ['is no replica', { body: { isReplica: false, hasReplicas: false } }],
    ['has no such route', { status: 404, body: refusal('route_not_found') }],
    ['answers with a page', { body: '<html>sign in to the network</html>' }],
    ['answers with something else', { body: 'null' }],
    ['sends elsewhere', { status: 302, headers: { location: '/' } }],
    ['ends the connection', away],
  ])('keeps out a server that %s', async (_, health) => {
    const scene = await openScene(2);
    scene.replicas[0]!.health = health;
    for (let read = 0; read < 4; read++) await scene.client.nodes.get(UID);
    expect(scene.counts()).toEqual([0, 4, 0]);
  });

  it('keeps out a replica whose graph is not loaded', async () => {
    const scene = await openScene(1);
    scene.replicas[0]!.available = { status: 503, body: 'not available' };
    await scene.client.nodes.get(UID);
    expect(scene.counts()).toEqual([0, 1]);
  });

  it('asks the replica only: the primary may be starting, or gone', async () => {
    const scene = await openScene(1);
    await scene.client.nodes.get(UID);
    expect(scene.primary.checks).toEqual([]);
    expect(scene.counts()).toEqual([1, 0]);
  });

  it('does not show the token to a server that is not known yet', async () => {
    const scene = await openScene(1, { token: 'secret' });
    await scene.client.nodes.get(UID);
    expect(scene.replicas[0]!.checks[0]?.headers.authorization).toBeUndefined();
    expect(scene.replicas[0]!.seen[0]?.headers.authorization).toBe('Bearer secret');
  });

  it('of a server that says nothing does not hold a call that another can take', async () => {
    const scene = await openScene(2);
    scene.replicas[0]!.leave({ silent: true });
    await scene.client.nodes.get(UID);
    expect(scene.counts()).toEqual([0, 1, 0]);
  });

  it('of a server that says nothing ends after three seconds', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    replica!.leave({ silent: true });
    const checked = replica!.check();
    const reading = scene.client.nodes.get(UID);
    await checked;
    scene.clock.advance(3_000);
    await reading;
    expect(scene.counts()).toEqual([0, 1]);
  });

  it('asks below the path of the entry', async () => {
    const member = await Member.start({ isReplica: true });
    const scene = await openScene(0);
    scene.client.setReplicas([`${member.url}/r1`]);
    await scene.client.nodes.get(UID);
    expect(member.seen.map(({ url }) => url)).toContain('/r1/health/replica');
  });
});

describe('a retired replica', () => {
  it('is tested again after 5 minutes, and then after twice as long up to 30', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    const { health } = replica!;
    replica!.health = away;
    await scene.client.nodes.get(UID);
    for (const [index, minutes] of [5, 10, 20, 30, 30].entries()) {
      scene.clock.advance(minutes * MINUTE_MS - 1);
      await scene.client.nodes.get(UID);
      expect(checkCounts(scene)).toEqual([index + 1]);
      scene.clock.advance(1);
      await scene.client.nodes.get(UID);
      await scene.checked();
      expect(checkCounts(scene)).toEqual([index + 2]);
    }
    replica!.health = health;
    scene.clock.advance(30 * MINUTE_MS);
    await scene.client.nodes.get(UID);
    await scene.checked();
    expect(scene.counts()[0]).toBe(0);
    await scene.client.nodes.get(UID);
    expect(scene.counts()[0]).toBe(1);
    replica!.leave();
    await scene.client.nodes.get(UID);
    expect(checkCounts(scene)).toEqual([7]);
    scene.clock.advance(5 * MINUTE_MS);
    await scene.client.nodes.get(UID);
    await scene.checked();
    expect(checkCounts(scene)).toEqual([8]);
  });

  it('does not hold the call that has it tested', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    replica!.leave();
    await scene.client.nodes.get(UID);
    replica!.leave({ silent: true });
    scene.clock.advance(5 * MINUTE_MS);
    const checked = replica!.check();
    await scene.client.nodes.get(UID);
    await checked;
    expect(scene.counts()).toEqual([0, 2]);
  });

  it('is tested at once when the list is set anew', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    const { health } = replica!;
    replica!.health = away;
    await scene.client.nodes.get(UID);
    replica!.health = health;
    scene.client.setReplicas(replica!.url);
    await scene.client.nodes.get(UID);
    expect(scene.counts()).toEqual([1, 1]);
  });

  it('is one that many calls failed at together, once', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    await scene.client.nodes.get(UID);
    replica!.leave();
    await Promise.all(Array.from({ length: 8 }, () => scene.client.nodes.get(UID)));
    scene.clock.advance(5 * MINUTE_MS);
    await scene.client.nodes.get(UID);
    await scene.checked();
    expect(checkCounts(scene)).toEqual([2]);
  });
});

describe('a 503', () => {
  const busy = { status: 503, body: refusal('endpoint_overloaded') };

  it('has the replica checked, and used again when it passes', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    replica!.reply = () => (replica!.seen.length === 1 ? busy : { body: {} });
    await scene.client.nodes.get(UID);
    await scene.client.nodes.get(UID);
    expect(checkCounts(scene)).toEqual([2]);
    expect(scene.counts()).toEqual([2, 1]);
  });

  it('does not have its call wait for the check', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    replica!.reply = () => {
      replica!.health = { silent: true };
      return busy;
    };
    await scene.client.nodes.get(UID);
    expect(scene.counts()).toEqual([1, 1]);
  });

  it('retires one that does not pass', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    await scene.client.nodes.get(UID);
    replica!.reply = busy;
    replica!.available = busy;
    for (let read = 0; read < 3; read++) await scene.client.nodes.get(UID);
    expect(checkCounts(scene)).toEqual([2]);
    expect(scene.counts()).toEqual([2, 3]);
  });
});
