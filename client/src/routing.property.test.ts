import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ManualClock, Member, openScene } from './testing/replica-scene.ts';
import { refusal, type Reply } from './testing/scripted-server.ts';
import { TrellisClient } from './trellis-client.ts';

/** What may come back, whether the server did what it was asked to or not. */
const REPLIES: readonly Reply[] = [
  { body: {} },
  { body: {}, headers: { 'x-msk-sequence': '7' } },
  { status: 202, headers: { 'msk-endpoint-key': 'k' } },
  { reset: true },
  { status: 401, body: refusal('invalid_token') },
  { status: 404, body: refusal('endpoint_not_found') },
  { status: 429, body: refusal('too_many_requests'), headers: { 'retry-after': '0' } },
  { status: 500, body: refusal('endpoint_failed') },
  { status: 502, body: '<html>gateway</html>' },
  { status: 503, body: '' },
  { status: 503, body: refusal('not_ready'), headers: { 'retry-after': '0' } },
  { status: 503, body: refusal('replica_behind'), headers: { 'retry-after': '0' } },
  { status: 504, body: '' },
];
/** As a replica sends a call to its primary, or an endpoint whose author would like to have it. */
const TO_OUTSIDER: Reply = { status: 303 };

const CALLS = {
  getNode: (client: TrellisClient, flags: object) => client.nodes.get('n', flags),
  runEndpoint: (client: TrellisClient, flags: object) => client.endpoints.run('e', {}, flags),
  ingest: (client: TrellisClient, flags: object) => client.graph.ingest([], flags),
};

const flag = fc.constantFrom(undefined, false, true);
const workload = fc.record({
  calls: fc.array(
    fc.record({
      name: fc.constantFrom<keyof typeof CALLS>('getNode', 'runEndpoint', 'ingest'),
      flags: fc.record({ readOnlyCompatible: flag, forcePrimary: flag }),
      passesMs: fc.constantFrom(0, 10_000, 5 * 60_000),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  primary: fc.infiniteStream(fc.constantFrom(TO_OUTSIDER, ...REPLIES)),
  replicas: fc.infiniteStream(fc.constantFrom(TO_OUTSIDER, ...REPLIES)),
  checks: fc.infiniteStream(fc.constantFrom('passes', 'passes', 'fails')),
});

type Workload = typeof workload extends fc.Arbitrary<infer T> ? T : never;

interface Sent {
  readonly isReplica: boolean;
  readonly status: number;
  /** The server says that it did nothing. */
  readonly isRefused: boolean;
}

/**
 * Lets a server answer from the stream, and notes what it was asked to begin; joining a run with
 * its key is no such thing.
 */
function follow(
  member: Member,
  replies: Iterator<Reply>,
  sent: Sent[],
  { isReplica, outsider }: { readonly isReplica: boolean; readonly outsider: Member },
): void {
  member.reply = ({ url, headers }) => {
    const reply: Reply = replies.next().value;
    const { status = 200 } = reply;
    const isSentOn = isReplica && reply === TO_OUTSIDER;
    const isRefused = isSentOn || status === 401 || reply.headers?.['retry-after'] !== undefined;
    if (headers['msk-endpoint-key'] === undefined) sent.push({ isReplica, status, isRefused });
    if (reply !== TO_OUTSIDER) return reply;
    return { ...reply, headers: { location: `${outsider.url}${url}` } };
  };
}

it('whatever servers answer, flags are kept, nothing is done twice, and nobody else is asked', async () => {
  const { primary, replicas } = await openScene(2);
  const outsider = await Member.start({});
  const healthy = replicas.map(({ health }) => health);
  const run = async ({ calls, ...streams }: Workload) => {
    const sent: Sent[] = [];
    follow(primary, streams.primary, sent, { isReplica: false, outsider });
    for (const replica of replicas) {
      follow(replica, streams.replicas, sent, { isReplica: true, outsider });
    }
    const clock = new ManualClock();
    const client = new TrellisClient({
      baseUrl: primary.url,
      replicas: replicas.map(({ url }) => url),
      retry: { pauseMs: 0, retriesMax: 2 },
      clock,
    });
    for (const { name, flags, passesMs } of calls) {
      clock.advance(passesMs);
      for (const [index, replica] of replicas.entries()) {
        const passes = streams.checks.next().value === 'passes';
        replica.health = passes ? healthy[index]! : { reset: true };
      }
      sent.length = 0;
      await CALLS[name](client, flags).catch(() => undefined);
      expect(sent.length).toBeGreaterThan(0);
      expect(outsider.seen).toEqual([]);
      const { readOnlyCompatible = name !== 'ingest', forcePrimary } = flags;
      if (forcePrimary === true || !readOnlyCompatible) {
        expect(sent.filter(({ isReplica }) => isReplica)).toEqual([]);
      }
      if (name === 'ingest') expect(sent.slice(0, -1).filter((s) => !s.isRefused)).toEqual([]);
      // A run that a replica takes writes nothing.
      const isTaken = sent.some(({ isReplica, status }) => isReplica && status === 202);
      const onPrimary = sent.filter((s) => !s.isReplica && !s.isRefused);
      if (name === 'runEndpoint' && !isTaken) expect(onPrimary.length).toBeLessThanOrEqual(1);
    }
  };
  await fc.assert(fc.asyncProperty(workload, run), { numRuns: 300 });
});
