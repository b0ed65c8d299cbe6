import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AccessIndex } from '#access/access-index.ts';
import {
  WEBHOOK_READ_AGAIN_MS,
  WEBHOOK_RETRY_AFTER_MS_MAX,
  WEBHOOK_RETRY_DELAYS_MS,
  WEBHOOK_RETRY_MS,
} from '#base/webhook-limits.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import type { AskedDeliveries, FoundDeliveries, FoundDelivery, StoredWebhook } from './webhook.ts';
import { WebhookFollower } from './webhook-follower.ts';
import type { WebhookMessage, WebhookOutcome } from './webhook-requests.ts';
import { WebhookStore } from './webhook-store.ts';

let graph: TestGraph;
let nowMs: number;
beforeEach(async () => {
  nowMs = Date.parse('2026-01-01T00:00:00Z');
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  graph.reader.refresh();
});
afterEach(() => graph[Symbol.asyncDispose]());

const STORED: StoredWebhook = {
  id: 'w',
  settings: {
    name: 'hook',
    url: 'https://example.com/',
    types: null,
    edges: null,
    actions: null,
    asUser: null,
    payload: 'ids',
    enabled: true,
  },
  position: 0,
  pausedFor: null,
  failing: null,
  missed: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  createdBy: null,
};

const DELIVERED: WebhookOutcome = {
  isDelivered: true,
  durationMs: 1,
  response: { status: 204, body: '' },
  error: null,
  isFinal: false,
  retryAfterMs: 0,
};
const FAILED: WebhookOutcome = { ...DELIVERED, isDelivered: false, error: 'It answers 500' };

function deliveryOf(sequence: number, part = 1, isLast = true): FoundDelivery {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    first: sequence,
    sequence,
    at,
    part,
    begin: part - 1,
    end: part,
    isLast,
    changes: [`{"n":${sequence}}`],
    references: [],
  };
}

/** A webhook whose log, receiver and time a test has in its hands. */
function open(stored = STORED) {
  const store = new WebhookStore(graph.reader);
  const sent: WebhookMessage[] = [];
  const asked: AskedDeliveries[] = [];
  const pending: ((found: FoundDeliveries) => void)[] = [];
  let alarms: { readonly ms: number; readonly ring: () => void }[] = [];
  let answer = (): Promise<WebhookOutcome> => Promise.resolve(DELIVERED);
  const follower = new WebhookFollower(stored, store.deliveries(stored.id), {
    reader: graph.reader,
    commits: graph.writer,
    access: new AccessIndex(graph.reader),
    callerFor: () => undefined,
    clock: { now: () => nowMs },
    requests: {
      send: (message, signal) => {
        sent.push(message);
        const aborted = Promise.withResolvers<never>();
        signal.addEventListener('abort', () => aborted.reject(signal.reason));
        return Promise.race([answer(), aborted.promise]);
      },
    },
    feed: {
      sequence: 1_000,
      first: () => Promise.resolve(1),
      needs: () => {},
      next: (given, signal) => {
        asked.push(given);
        const { promise, resolve, reject } = Promise.withResolvers<FoundDeliveries>();
        signal.addEventListener('abort', () => reject(signal.reason));
        pending.push(resolve);
        return promise;
      },
    },
    alarm: (ms, ring) => {
      const one = { ms, ring };
      alarms.push(one);
      return { [Symbol.dispose]: () => (alarms = alarms.filter((each) => each !== one)) };
    },
    onChange: () => {},
    onFault: () => {},
    onPosition: () => {},
  });
  follower.start();
  return {
    follower,
    store,
    sent,
    asked,
    answer: (given: typeof answer) => (answer = given),
    async find(...deliveries: readonly FoundDelivery[]) {
      await expect.poll(() => pending.length).toBe(1);
      const after = deliveries.at(-1)?.sequence ?? 0;
      pending.shift()?.({ deliveries, after, skip: 0, part: 1, isLost: false });
    },
    lose: (after: number) =>
      pending.shift()?.({ deliveries: [], after, skip: 0, part: 1, isLost: true }),
    /** The next alarm of this length rings, so much later. */
    async ring(ms: number) {
      await expect.poll(() => alarms.map((one) => one.ms)).toContain(ms);
      const one = alarms.find((each) => each.ms === ms);
      alarms = alarms.filter((each) => each !== one);
      nowMs += ms;
      one?.ring();
    },
  };
}

it('tries for a day, later each time, and is then paused with the reason', async () => {
  const at = open();
  at.answer(() => Promise.resolve(FAILED));
  await at.find(deliveryOf(3));
  const begin = nowMs;
  const last = WEBHOOK_RETRY_DELAYS_MS.at(-1) ?? 0;
  let tries = 1;
  for (let i = 0; nowMs + (WEBHOOK_RETRY_DELAYS_MS[i] ?? last) - begin <= WEBHOOK_RETRY_MS; i++) {
    await at.ring(WEBHOOK_RETRY_DELAYS_MS[i] ?? last);
    tries++;
  }
  await expect.poll(() => at.follower.shown().state).toBe('paused');
  expect(at.sent).toHaveLength(tries);
  expect(new Set(at.sent.map(({ id }) => id))).toEqual(new Set(['msg_w_3']));
  const reason = `${tries} attempts within a day have failed. The last: It answers 500`;
  expect(at.follower.shown()).toMatchObject({ reason, position: 0 });
  await expect.poll(() => at.store.all()).toMatchObject([{ pausedFor: reason, position: 0 }]);
  expect(at.store.deliveries('w')).toMatchObject([{ status: 'failed', attempts: tries }]);
  await at.follower.stop();
});

it('goes on with its tries after a restart, no sooner and no longer', async () => {
  const before = open();
  before.answer(() => Promise.resolve(FAILED));
  await before.find(deliveryOf(3));
  await before.ring(WEBHOOK_RETRY_DELAYS_MS[0] ?? 0);
  await expect.poll(() => before.store.all()[0]?.failing?.attempts).toBe(2);
  await before.follower.stop();
  const stored = before.store.all()[0];
  nowMs += 1_000;
  const after = open(stored);
  await after.find(deliveryOf(3));
  await after.ring((WEBHOOK_RETRY_DELAYS_MS[1] ?? 0) - 1_000);
  await expect.poll(() => after.follower.shown().position).toBe(3);
  expect(after.sent).toHaveLength(1);
  expect(after.follower.deliveries()).toMatchObject([{ status: 'delivered', attempts: 3 }]);
  await after.follower.stop();
  expect(after.store.all()).toMatchObject([{ position: 3, failing: null }]);
});

it('waits as long as the receiver asks, up to a bound', async () => {
  const at = open();
  at.answer(() => Promise.resolve({ ...FAILED, retryAfterMs: 60_000 }));
  await at.find(deliveryOf(1));
  await at.ring(60_000);
  await expect.poll(() => at.sent.length).toBe(2);
  at.answer(() => Promise.resolve({ ...FAILED, retryAfterMs: 1e12 }));
  await at.ring(60_000);
  await at.ring(WEBHOOK_RETRY_AFTER_MS_MAX);
  await at.follower.stop();
});

it('writes its position after the last part of a commit', async () => {
  const at = open();
  let arrive = (): void => {};
  await at.find(deliveryOf(2), deliveryOf(5, 1, false), deliveryOf(5, 2));
  await expect.poll(() => at.sent.length).toBe(3);
  at.answer(() => new Promise((resolve) => (arrive = () => resolve(DELIVERED))));
  await at.find(deliveryOf(7, 1, false), deliveryOf(7, 2));
  await expect.poll(() => at.sent.length).toBe(4);
  await at.ring(1_000);
  await expect.poll(() => at.store.all()[0]?.position).toBe(5);
  arrive();
  await expect.poll(() => at.sent.length).toBe(5);
  await at.follower.stop();
  // The second part was under way: the commit is delivered again as a whole.
  expect(at.store.all()[0]?.position).toBe(5);
  const parts = at.sent.map(({ id }) => id.split('_').slice(2, 4).join('_'));
  expect(parts).toEqual(['2', '5_1', '5_2', '7_1', '7_2']);
});

it('goes on when what became of a delivery could not be written', async () => {
  const at = open();
  at.answer(() => Promise.resolve(FAILED));
  vi.spyOn(graph.writer, 'commit').mockRejectedValueOnce(new Error('the disk is full'));
  await at.find(deliveryOf(3));
  await at.ring(WEBHOOK_READ_AGAIN_MS);
  at.answer(() => Promise.resolve(DELIVERED));
  await at.find(deliveryOf(3));
  await expect.poll(() => at.follower.shown().position).toBe(3);
  expect(at.asked.map(({ after }) => after)).toEqual([0, 0, 3]);
  await at.follower.stop();
});

it('says what the log was not kept for', async () => {
  const at = open({ ...STORED, position: 10 });
  await expect.poll(() => at.asked.length).toBe(1);
  at.lose(50);
  await expect.poll(() => at.asked.length).toBe(2);
  expect(at.asked[1]).toMatchObject({ after: 50 });
  expect(at.follower.shown().missed).toMatchObject({ from: 11, to: 50 });
  await at.follower.stop();
});
