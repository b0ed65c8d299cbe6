import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import {
  TRIGGER_BUSY_DELAY_MS,
  TRIGGER_CHAIN_MAX,
  TRIGGER_RETRY_DELAYS_MS,
  TRIGGER_RUNS_MAX,
  TRIGGER_SET_ASIDE_MAX,
} from '#base/trigger-limits.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { EndpointTrigger } from './endpoint-trigger.ts';
import { RunPlaces } from './run-places.ts';
import type { AskedChanges, FoundChanges, FoundEvent, TriggerCall } from './trigger.ts';
import { TriggerStore } from './trigger-store.ts';

const LINE = { event: 'created', type: 'Ticket', since: 0 } as const;

function eventOf(sequence: number, uid: string, chain: readonly string[] = []): FoundEvent {
  const at = '2026-01-01T00:00:00.000Z';
  const { event, type } = LINE;
  return { event, type, uid, key: uid, sequence, firstSequence: sequence, at, chain, body: uid };
}

let graph: TestGraph;
beforeEach(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  graph.reader.refresh();
});
afterEach(() => graph[Symbol.asyncDispose]());

/** A trigger whose log, endpoint and time a test has in its hands. */
function open(position = 0) {
  const store = new TriggerStore(graph.reader);
  const calls: TriggerCall[] = [];
  const faults: unknown[] = [];
  const asked: AskedChanges[] = [];
  let answers: ((call: TriggerCall) => Promise<{ status: number; body: string | null }>)[] = [];
  const pending: { readonly resolve: (found: FoundChanges) => void }[] = [];
  let alarms: { readonly ms: number; readonly ring: () => void }[] = [];
  const trigger: EndpointTrigger = new EndpointTrigger(
    {
      endpoint: 'watch',
      lines: [LINE],
      position,
      isPaused: false,
      reason: null,
      missed: null,
    },
    {
      reader: graph.reader,
      commits: graph.writer,
      clock: graph.clock,
      store,
      places: new RunPlaces(100, () => void trigger.pump()),
      feed: {
        sequence: 1_000,
        needs: () => {},
        next: (given, signal) => {
          asked.push(given);
          const { promise, resolve, reject } = Promise.withResolvers<FoundChanges>();
          signal.addEventListener('abort', () => reject(signal.reason));
          pending.push({ resolve });
          return promise;
        },
      },
      endpoints: {
        run: (call) => {
          calls.push(call);
          const answer = answers.shift();
          return answer?.(call) ?? Promise.resolve({ status: 200, body: null });
        },
      },
      alarm: (ms, ring) => {
        const one = { ms, ring };
        alarms.push(one);
        return { [Symbol.dispose]: () => (alarms = alarms.filter((each) => each !== one)) };
      },
      redact: (text) => text.replaceAll('hunter2', '[redacted]'),
      onFault: (error) => faults.push(error),
      onChange: () => {},
      onPosition: () => {},
    },
  );
  trigger.start();
  return {
    trigger,
    store,
    calls,
    faults,
    asked,
    answer: (...given: typeof answers) => (answers = given),
    /** The log has these, which end at the last one. */
    async find(...events: readonly FoundEvent[]) {
      await expect.poll(() => pending.length).toBe(1);
      const after = events.at(-1)?.sequence ?? 0;
      pending.shift()?.resolve({ events, after, skip: 0, isLost: false });
    },
    lose: (after: number) => pending.shift()?.resolve({ events: [], after, skip: 0, isLost: true }),
    delays: () => alarms.map(({ ms }) => ms),
    /** The next alarm of this length rings. */
    async ring(ms: number) {
      await expect.poll(() => alarms.some((one) => one.ms === ms)).toBe(true);
      const one = alarms.find((each) => each.ms === ms);
      alarms = alarms.filter((each) => each !== one);
      one?.ring();
    },
    stored: () => store.all()[0],
  };
}

const fails = () => Promise.reject(new Problem('endpoint_failed', 'no hunter2'));
const busy = () => Promise.reject(new Problem('endpoint_overloaded', 'busy'));
const bodies = (calls: readonly TriggerCall[]): string[] => calls.map(({ body }) => body);

describe('a run that fails', () => {
  it('is tried again, later each time, and then set aside', async () => {
    const at = open();
    at.answer(...TRIGGER_RETRY_DELAYS_MS.map(() => fails), fails);
    await at.find(eventOf(3, 'a'));
    for (const ms of TRIGGER_RETRY_DELAYS_MS) await at.ring(ms);
    await expect.poll(() => at.store.setAside().length).toBe(1);
    expect(at.calls).toHaveLength(TRIGGER_RETRY_DELAYS_MS.length + 1);
    expect(at.store.setAside('watch')).toMatchObject([
      { uid: 'a', attempts: 5, error: { code: 'endpoint_failed', message: 'no [redacted]' } },
    ]);
    expect(at.trigger.shown()).toMatchObject({ waiting: 0, runs: 5, failures: 5, setAside: 1 });
    await at.trigger.stop();
  });

  it('holds up its own node alone', async () => {
    const at = open();
    at.answer(fails);
    await at.find(eventOf(1, 'a'), eventOf(2, 'a'), eventOf(3, 'b'));
    await at.ring(TRIGGER_RETRY_DELAYS_MS[0] ?? 0);
    await expect.poll(() => at.calls.length).toBe(4);
    expect(bodies(at.calls)).toEqual(['a', 'b', 'a', 'a']);
    await at.trigger.stop();
    expect(at.stored()).toMatchObject({ position: 3 });
  });

  it('is no try while the workers are busy', async () => {
    const at = open();
    at.answer(busy, busy, busy, busy, busy, busy, busy);
    await at.find(eventOf(1, 'a'));
    for (let i = 0; i < 7; i++) await at.ring(TRIGGER_BUSY_DELAY_MS);
    await expect.poll(() => at.calls.length).toBe(8);
    await expect.poll(() => at.trigger.shown().waiting).toBe(0);
    expect(at.trigger.shown()).toMatchObject({ runs: 1, failures: 0, setAside: 0 });
    await at.trigger.stop();
  });

  it('because of what it answers is set aside at once, but for what may pass', async () => {
    const at = open();
    at.answer(
      () => Promise.resolve({ status: 422, body: '{"no":1}' }),
      () => Promise.resolve({ status: 429, body: null }),
    );
    await at.find(eventOf(1, 'a'), eventOf(2, 'b'));
    await at.ring(TRIGGER_RETRY_DELAYS_MS[0] ?? 0);
    await expect.poll(() => at.trigger.shown().waiting).toBe(0);
    expect(at.store.setAside()).toMatchObject([
      { uid: 'a', attempts: 1, error: { message: 'The endpoint answers 422: {"no":1}' } },
    ]);
    await at.trigger.stop();
  });

  it('pauses the trigger when too many are set aside, and nothing is lost', async () => {
    const at = open();
    const refuses = () => Promise.resolve({ status: 400, body: null });
    const count = TRIGGER_SET_ASIDE_MAX + 3;
    at.answer(...Array.from({ length: count }, () => refuses));
    await at.find(...Array.from({ length: count }, (_, i) => eventOf(i + 1, `${i}`)));
    await expect.poll(() => at.stored()?.isPaused).toBe(true);
    expect(at.stored()?.reason).toContain(`${TRIGGER_SET_ASIDE_MAX} events are set aside`);
    expect(at.store.setAside()).toHaveLength(TRIGGER_SET_ASIDE_MAX);
    const position = at.stored()?.position ?? NaN;
    expect(position).toBeLessThanOrEqual(TRIGGER_SET_ASIDE_MAX);
    await at.trigger.resume();
    expect(at.asked.at(-1)).toMatchObject({ after: position });
    await at.trigger.stop();
  });
});

it('runs so many at a time, and stops without waiting for them', async () => {
  const at = open();
  const never = ({ signal }: TriggerCall) =>
    new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    );
  at.answer(never, never, never, never, never);
  await at.find(...['a', 'b', 'c', 'd', 'e'].map((uid, i) => eventOf(i + 1, uid)));
  await expect.poll(() => at.calls.length).toBe(TRIGGER_RUNS_MAX);
  expect(at.trigger.shown()).toMatchObject({ waiting: 5, runs: 0 });
  await at.trigger.stop();
  expect(at.faults).toEqual([]);
  expect(at.store.all()).toEqual([]);
});

it('stops a chain that is too long', async () => {
  const at = open();
  const chain = Array.from({ length: TRIGGER_CHAIN_MAX }, (_, i) => `e${i}`);
  await at.find(eventOf(1, 'a', chain.slice(1)), eventOf(2, 'b', chain));
  await expect.poll(() => at.store.setAside().length).toBe(1);
  expect(at.calls.map((call) => call.chain)).toEqual([[...chain.slice(1), 'watch']]);
  const message = `More than ${TRIGGER_CHAIN_MAX} endpoints would run one another: ${[...chain, 'watch'].join(' > ')}`;
  expect(at.store.setAside()).toMatchObject([
    { uid: 'b', attempts: 0, error: { code: 'trigger_loop', message } },
  ]);
  await at.trigger.stop();
});

it('writes its position after its runs, and asks by other lines from then on', async () => {
  const at = open();
  let end = (): void => {};
  at.answer(() => new Promise((resolve) => (end = () => resolve({ status: 200, body: null }))));
  await at.find(eventOf(5, 'a'), eventOf(7, 'b'));
  await expect.poll(() => at.trigger.shown().runs).toBe(1);
  expect(at.delays()).toEqual([1_000]);
  await at.ring(1_000);
  // The first is still under way.
  await expect.poll(() => at.stored()?.position).toBe(4);
  end();
  await at.ring(1_000);
  await expect.poll(() => at.stored()?.position).toBe(7);
  const lines = [LINE, { event: 'deleted', type: 'Ticket', since: 9 } as const];
  await at.trigger.setLines(lines);
  await expect.poll(() => at.asked.at(-1)).toEqual({ after: 7, skip: 0, lines });
  expect(at.stored()).toMatchObject({ lines });
  await at.trigger.stop();
});

it('says what the log was not kept for', async () => {
  const at = open(10);
  await expect.poll(() => at.asked.length).toBe(1);
  at.lose(50);
  await expect.poll(() => at.asked.length).toBe(2);
  expect(at.asked[1]).toMatchObject({ after: 50 });
  expect(at.trigger.shown().missed).toMatchObject({ from: 11, to: 50 });
  expect(String(at.faults[0])).toContain('the log from 11 to 50 is gone');
  await at.trigger.stop();
});
