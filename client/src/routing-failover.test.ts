import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { failureOf, refusal } from './testing/scripted-server.ts';
import { openScene } from './testing/replica-scene.ts';

const UID = 'node-1';
const away = { reset: true };

describe('a replica that fails', () => {
  it.each([
    away,
    { status: 502, body: '<html>gateway</html>' },
    { status: 504, body: '' },
    { status: 503, body: refusal('not_ready') },
    { status: 503, body: '' },
  ])('with %j gives a call up to the next server', async (reply) => {
    const scene = await openScene(2);
    scene.replicas[0]!.reply = reply;
    await scene.client.endpoints.run('e');
    expect(scene.counts()).toEqual([1, 1, 0]);
    scene.replicas[1]!.reply = reply;
    await scene.client.nodes.get(UID);
    expect(scene.counts().at(-1)).toBe(1);
  });

  it.each([
    { status: 404, body: refusal('node_not_found') },
    { status: 429, body: refusal('too_many_requests') },
    { status: 500, body: refusal('endpoint_failed') },
    { status: 504, body: refusal('endpoint_timeout') },
  ])('has not, with %j: that is its answer', async (reply) => {
    const scene = await openScene(2);
    scene.replicas[0]!.reply = reply;
    const { code } = reply.body.error;
    expect(await failureOf(scene.client.endpoints.run('e'))).toMatchObject({ code });
    expect(scene.counts()).toEqual([1, 0, 0]);
  });

  it.each([away, { status: 502, body: '' }, { status: 503, body: '' }])(
    'with %j is not helped out with a write, whatever its flag says',
    async (reply) => {
      const scene = await openScene(2);
      scene.replicas[0]!.reply = reply;
      await failureOf(scene.client.graph.ingest([], { readOnlyCompatible: true }));
      expect(scene.counts()).toEqual([1, 0, 0]);
    },
  );

  it('without a word is found out, and the call goes on', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    await scene.client.nodes.get(UID);
    replica!.leave({ silent: true });
    const sent = replica!.request();
    const reading = scene.client.nodes.get(UID);
    await sent;
    const checked = replica!.check();
    scene.clock.advance(5_000);
    await checked;
    scene.clock.advance(3_000);
    await reading;
    expect(scene.counts()).toEqual([2, 1]);
  });

  it('has not when it is only slow', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    const controller = new AbortController();
    replica!.reply = { silent: true };
    const sent = replica!.request();
    const reading = scene.client.nodes.get(UID, { signal: controller.signal });
    await sent;
    const checked = replica!.check();
    scene.clock.advance(5_000);
    await checked;
    await scene.checked();
    replica!.reply = { body: {} };
    await scene.client.nodes.get(UID);
    expect(scene.counts()).toEqual([2, 0]);
    controller.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });
});

describe('without a primary', () => {
  it('reads go on, and writes fail', async () => {
    const scene = await openScene(1);
    scene.primary.leave();
    await scene.client.nodes.get(UID);
    expect(await failureOf(scene.client.graph.ingest([]))).toMatchObject({
      code: 'connection_failed',
    });
    const forced = scene.client.nodes.get(UID, { forcePrimary: true });
    expect(await failureOf(forced)).toMatchObject({ code: 'connection_failed' });
    expect(scene.counts()).toEqual([1, 2]);
  });

  it.each([away, { status: 503, body: refusal('server_stopping') }])(
    'that answers %j, a retired replica is tested before its time',
    async (reply) => {
      const scene = await openScene(1);
      const [replica] = scene.replicas;
      const { health } = replica!;
      replica!.health = away;
      await scene.client.nodes.get(UID);
      expect(scene.counts()).toEqual([0, 1]);
      replica!.health = health;
      scene.primary.leave(reply);
      scene.clock.advance(10_000);
      await scene.client.nodes.get(UID);
      expect(scene.counts()).toEqual([1, 2]);
      replica!.leave();
      await failureOf(scene.client.nodes.get(UID));
      scene.primary.leave({ body: {} });
      replica!.leave({ body: {} });
      replica!.health = health;
      scene.clock.advance(5 * 60_000 - 1);
      await scene.client.nodes.get(UID);
      await scene.checked();
      await scene.client.nodes.get(UID);
      expect(scene.counts()).toEqual([2, 5]);
    },
  );

  it('a run that it may have begun is not begun again because a replica is busy', async () => {
    const scene = await openScene(1, { retry: { retriesMax: 1 } });
    const [replica] = scene.replicas;
    const { health } = replica!;
    replica!.health = away;
    await scene.client.nodes.get(UID);
    replica!.health = health;
    const busy = { status: 429, headers: { 'retry-after': '0' }, body: refusal('busy') };
    replica!.reply = () => (replica!.seen.length === 1 ? busy : { status: 303 });
    scene.primary.leave();
    scene.clock.advance(10_000);
    const running = failureOf(scene.client.endpoints.run('e'));
    expect(await running).toMatchObject({ code: 'connection_failed' });
    expect(scene.counts()).toEqual([1, 2]);
  });

  it('a dead replica is not tested at every call', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    replica!.leave();
    scene.primary.leave();
    for (let read = 0; read < 3; read++) await failureOf(scene.client.nodes.get(UID));
    expect(replica!.checks).toHaveLength(1);
    scene.clock.advance(10_000);
    for (let read = 0; read < 3; read++) await failureOf(scene.client.nodes.get(UID));
    expect(replica!.checks).toHaveLength(2);
  });

  it('and without replicas the error is that of the primary', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.close();
    await once(server, 'close');
    const scene = await openScene(2, { baseUrl });
    for (const replica of scene.replicas) replica.reply = away;
    const failure = await failureOf(scene.client.nodes.get(UID));
    expect(failure.message).toBe(`cannot reach ${baseUrl}: connection refused`);
    expect(scene.counts()).toEqual([1, 1, 0]);
  });
});

describe('an abort', () => {
  it('ends a call at a replica, which is not blamed for it', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    replica!.reply = { silent: true };
    const controller = new AbortController();
    const sent = replica!.request();
    const reading = scene.client.nodes.get(UID, { signal: controller.signal });
    await sent;
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
    replica!.reply = { body: {} };
    await scene.client.nodes.get(UID);
    expect(scene.counts()).toEqual([2, 0]);
  });

  it('before a call keeps it from waiting for a check', async () => {
    const scene = await openScene(1);
    scene.replicas[0]!.health = { silent: true };
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(scene.client.nodes.get(UID, { signal })).rejects.toThrow('enough');
  });

  it('ends the wait for a check, which others still wait for', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    replica!.health = { silent: true };
    const controller = new AbortController();
    const checked = replica!.check();
    const reading = scene.client.nodes.get(UID, { signal: controller.signal });
    const other = scene.client.nodes.get(UID);
    await checked;
    controller.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    scene.clock.advance(3_000);
    await other;
    expect(scene.counts()).toEqual([0, 1]);
  });
});

describe('a list set while a call is under way', () => {
  it('serves the next try', async () => {
    const scene = await openScene(2);
    const [first, second] = scene.replicas;
    scene.client.setReplicas(first!.url);
    first!.reply = () => {
      scene.client.setReplicas(second!.url);
      return away;
    };
    await scene.client.nodes.get(UID);
    expect(scene.counts()).toEqual([1, 1, 0]);
  });

  it('leaves the answer of one that is no longer in it', async () => {
    const scene = await openScene(1);
    scene.replicas[0]!.reply = () => {
      scene.client.setReplicas('');
      return { body: { UID } };
    };
    expect(await scene.client.nodes.get(UID)).toEqual({ UID });
    await scene.client.nodes.get(UID);
    expect(scene.counts()).toEqual([1, 1]);
  });
});
