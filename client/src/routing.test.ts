import { describe, expect, it } from 'vitest';
import { failureOf, refusal } from './testing/scripted-server.ts';
import { openScene, type Scene } from './testing/replica-scene.ts';

const UID = 'node-1';
const MINUTE_MS = 60_000;

/**
 * Three reads of a client with two replicas, so that each of the servers has one chance at least.
 */
async function readThrice({ client }: Scene): Promise<void> {
  for (let read = 0; read < 3; read++) await client.nodes.get(UID);
}

/** As a replica answers what only its primary does. */
const toPrimary = ({ primary }: Scene, path: string) => ({
  status: 303,
  headers: { location: `${primary.url}${path}` },
});

describe('the flags', () => {
  it('share reads among the replicas in turn, and leave the rest to the primary', async () => {
    const scene = await openScene(3);
    for (let read = 0; read < 6; read++) await scene.client.nodes.get(UID);
    expect(scene.counts()).toEqual([2, 2, 2, 0]);
    await scene.client.graph.ingest([]);
    await scene.client.status.getAvailable();
    expect(scene.counts()).toEqual([2, 2, 2, 1]);
  });

  it.each([
    [{ readOnlyCompatible: false }, 'primary'],
    [{ forcePrimary: true }, 'primary'],
    [{ readOnlyCompatible: true, forcePrimary: true }, 'primary'],
    [{ readOnlyCompatible: true }, 'replica'],
    [{ readOnlyCompatible: undefined, forcePrimary: false }, 'replica'],
  ])('%j goes to the %s', async (flags, role) => {
    const scene = await openScene(1);
    await scene.client.nodes.get(UID, flags);
    expect(scene.counts()).toEqual(role === 'primary' ? [0, 1] : [1, 0]);
  });

  it('are taken by downloads and runs too', async () => {
    const scene = await openScene(1);
    const selection = { uids: [UID] };
    await new Response(
      await scene.client.nodes.downloadJsonl(selection, {}, { forcePrimary: true }),
    ).text();
    await scene.client.endpoints.run('e', {}, { forcePrimary: true });
    expect(scene.counts()).toEqual([0, 2]);
    await scene.client.nodes.downloadJsonl(selection).then((download) => download.cancel());
    expect(scene.counts()).toEqual([1, 2]);
  });

  it('without replicas leave all to the one server', async () => {
    const scene = await openScene(0);
    await readThrice(scene);
    expect(scene.counts()).toEqual([3]);
  });
});

describe('an answer of 303', () => {
  it('sends the same call to the primary, and the next ones of its endpoint at once', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    replica!.reply = ({ url }) => toPrimary(scene, url ?? '');
    scene.primary.reply = { body: ['done'] };
    for (let run = 0; run < 3; run++) {
      expect(await scene.client.endpoints.run('writes/a', { run })).toEqual(['done']);
    }
    expect(scene.counts()).toEqual([1, 3]);
    const sent = scene.primary.seen.map(({ method, body }) => `${method} ${body}`);
    expect(sent).toEqual(['POST {"run":0}', 'POST {"run":1}', 'POST {"run":2}']);
    await scene.client.endpoints.run('other');
    expect(scene.counts()).toEqual([2, 4]);
  });

  it('is asked for again after five minutes, as the endpoint may be read-only by now', async () => {
    const scene = await openScene(1);
    const [replica] = scene.replicas;
    replica!.reply = ({ url }) => toPrimary(scene, url ?? '');
    await scene.client.endpoints.run('e');
    scene.clock.advance(5 * MINUTE_MS - 1);
    await scene.client.endpoints.run('e');
    expect(scene.counts()).toEqual([1, 2]);
    scene.clock.advance(1);
    replica!.reply = { body: {} };
    await scene.client.endpoints.run('e');
    expect(scene.counts()).toEqual([2, 2]);
  });

  it('is remembered of a thousand endpoints', async () => {
    const asked: string[] = [];
    const scene = await openScene(1, {
      fetch: async (input) => {
        const { host, pathname } = new URL(String(input));
        if (pathname === '/health/replica') return Response.json({ isReplica: true });
        const isReplica = scene.replicas[0]?.url.endsWith(host);
        if (pathname.startsWith('/api/endpoints')) asked.push(isReplica ? 'replica' : 'primary');
        return new Response('{}', { status: isReplica && pathname.includes('/run/') ? 303 : 200 });
      },
    });
    for (let n = 0; n < 1_000; n++) await scene.client.endpoints.run(`e${n}`);
    asked.length = 0;
    await scene.client.endpoints.run('e0');
    expect(asked).toEqual(['primary']);
    await scene.client.endpoints.run('one-more');
    await scene.client.endpoints.run('e0');
    expect(asked.slice(-2)).toEqual(['replica', 'primary']);
  });

  it('goes to the address that the client has for the primary, and the token with it', async () => {
    const scene = await openScene(1, { token: 't' });
    const headers = { location: 'http://primary.internal/api/endpoints/run/e' };
    scene.replicas[0]!.reply = { status: 303, headers };
    await scene.client.endpoints.run('e');
    expect(scene.primary.seen[0]?.headers.authorization).toBe('Bearer t');
  });

  it('counts too where a browser hides it', async () => {
    const hidden = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
    const scene = await openScene(1, {
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        return response.status === 303 ? hidden : response;
      },
    });
    scene.replicas[0]!.reply = toPrimary(scene, '/api/endpoints/run/e');
    scene.primary.reply = { body: 7 };
    expect(await scene.client.endpoints.run('e')).toBe(7);
  });

  it('that an endpoint gives is its answer, when the primary gives it too', async () => {
    const scene = await openScene(1);
    const redirect = { status: 303, headers: { location: 'http://127.0.0.1:1/elsewhere' } };
    scene.replicas[0]!.reply = redirect;
    scene.primary.reply = redirect;
    expect(await failureOf(scene.client.endpoints.run('e'))).toMatchObject({ status: 303 });
    expect(scene.counts()).toEqual([1, 1]);
  });

  it('is final while the primary is offline', async () => {
    const scene = await openScene(2);
    for (const replica of scene.replicas) replica.reply = toPrimary(scene, '/api/endpoints/run/e');
    scene.primary.leave();
    expect(await failureOf(scene.client.endpoints.run('e'))).toMatchObject({
      code: 'connection_failed',
    });
    expect(scene.counts()).toEqual([1, 0, 1]);
  });
});

describe('a replica that is behind', () => {
  const behind = {
    status: 503,
    headers: { 'retry-after': '60' },
    body: refusal('replica_behind'),
  };

  it('is asked for the last write, and the next one at once when it has not got it', async () => {
    const scene = await openScene(2);
    scene.primary.reply = { headers: { 'x-msk-sequence': '41' }, body: {} };
    await scene.client.graph.ingest([]);
    scene.replicas[0]!.reply = behind;
    await scene.client.nodes.get(UID);
    expect(scene.counts()).toEqual([1, 1, 1]);
    const asked = [...scene.replicas, scene.primary].map(
      ({ seen }) => seen[0]?.headers['x-msk-min-sequence'],
    );
    expect(asked).toEqual(['41', '41', undefined]);
  });

  it('leaves the call to the primary when all are, and stays in use unchecked', async () => {
    const scene = await openScene(2);
    for (const replica of scene.replicas) replica.reply = behind;
    await readThrice(scene);
    expect(scene.counts()).toEqual([3, 3, 3]);
    expect(scene.replicas.map(({ checks }) => checks.length)).toEqual([1, 1]);
  });

  it('is asked again when no primary is online', async () => {
    const scene = await openScene(1, { retry: { retriesMax: 1 } });
    const [replica] = scene.replicas;
    replica!.reply = () => (replica!.seen.length === 1 ? behind : { body: { UID } });
    scene.primary.leave();
    expect(await scene.client.nodes.get(UID)).toEqual({ UID });
  });

  it('may not know a token yet, which the primary does', async () => {
    const scene = await openScene(1, { token: 'new' });
    scene.replicas[0]!.reply = { status: 401, body: refusal('invalid_token') };
    await scene.client.nodes.get(UID);
    expect(scene.counts()).toEqual([1, 1]);
    scene.primary.reply = { status: 401, body: refusal('invalid_token') };
    expect(await failureOf(scene.client.nodes.get(UID))).toMatchObject({ code: 'invalid_token' });
  });

  it('passes its sequence on to nobody: what it answers is no write', async () => {
    const scene = await openScene(1);
    scene.replicas[0]!.reply = { headers: { 'x-msk-sequence': '99' }, body: { items: [] } };
    await scene.client.nodes.query({});
    expect(scene.client.lastWriteSequence).toBe(0);
  });
});

describe('a run that takes long', () => {
  const running = { status: 202, headers: { 'msk-endpoint-key': 'k' } };

  it('is asked for where it runs', async () => {
    const scene = await openScene(2);
    const [first] = scene.replicas;
    first!.reply = () => (first!.seen.length < 3 ? running : { body: 42 });
    expect(await scene.client.endpoints.run('slow', { n: 1 })).toBe(42);
    expect(scene.counts()).toEqual([3, 0, 0]);
    expect(first!.seen.map(({ headers }) => headers['msk-endpoint-key'])).toEqual([
      undefined,
      'k',
      'k',
    ]);
  });

  it('and fails has failed', async () => {
    const scene = await openScene(2);
    const [first] = scene.replicas;
    const failed = { status: 500, body: refusal('endpoint_failed') };
    first!.reply = () => (first!.seen.length === 1 ? running : failed);
    expect(await failureOf(scene.client.endpoints.run('slow'))).toMatchObject({
      code: 'endpoint_failed',
    });
    expect(scene.counts()).toEqual([2, 0, 0]);
  });

  it('begins again elsewhere when its replica goes', async () => {
    const scene = await openScene(2);
    const [first, second] = scene.replicas;
    first!.reply = () => (first!.seen.length === 1 ? running : { reset: true });
    second!.reply = { body: 42 };
    expect(await scene.client.endpoints.run('slow', { n: 1 })).toBe(42);
    expect(second!.seen[0]).toMatchObject({ body: '{"n":1}' });
    expect(second!.seen[0]?.headers['msk-endpoint-key']).toBeUndefined();
  });
});
