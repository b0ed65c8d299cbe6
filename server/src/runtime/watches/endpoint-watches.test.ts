import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import type { Caller } from '#access/caller.ts';
import {
  WATCH_ANSWERS_PER_SECOND_MAX,
  WATCH_VALUE_CHARACTERS_MAX,
  WATCHED_QUESTIONS_MAX,
  WATCHED_QUESTIONS_PER_CALLER_MAX,
  WATCHES_MAX,
  WATCHES_PER_CALLER_MAX,
} from '#base/watch-limits.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import type { EndpointRun } from '../invocation.ts';
import type { EndpointWatch } from './endpoint-watch.ts';
import { EndpointWatches } from './endpoint-watches.ts';
import { UnsentBytes } from './unsent-bytes.ts';
import type { WatchListener } from './watch-feed.ts';

const callerOf = (userUid: string): Caller => ({ ...ADMINISTRATOR, userUid });
const NO_READS = '{"points":[],"ranges":[]}';

let graph: TestGraph;
beforeAll(async () => {
  graph = await openTestGraph();
});
afterAll(() => graph[Symbol.asyncDispose]());

/** Watches over a log that the test writes, and code that it is. */
class Scene {
  sequence = 10;
  readonly watches: EndpointWatches;
  #listener: WatchListener | undefined;

  constructor(answer: (run: EndpointRun) => Promise<string>) {
    const sequence = (): number => this.sequence;
    this.watches = new EndpointWatches({
      reader: graph.reader,
      running: { current: (caller) => caller },
      check: () => {},
      run: async (run) => {
        const read = sequence();
        const body = await answer(run);
        run.watched?.read(read, NO_READS);
        return { status: 200, headers: {}, body };
      },
      feed: {
        get sequence() {
          return sequence();
        },
        watch: () => {},
        unwatch: () => {},
        hasChanged: () => Promise.resolve(false),
        listen: (listener) => (this.#listener = listener),
      },
    });
  }

  /** A commit changes what all questions have read. */
  commit(): void {
    this.sequence++;
    this.#listener?.lost();
  }

  open(body = '{}', caller = callerOf('ann'), lastSequence?: number): EndpointWatch {
    const asked = { name: 'found', caller, body, headers: '{}', authorization: undefined };
    return this.watches.open({ ...asked, traceId: 't' }, lastSequence);
  }
}

const never = new AbortController().signal;

it('asks again when the index has come to the commit during a search that was before it', async () => {
  let indexed = 9;
  const scene: Scene = new Scene(async (run) => {
    run.watched?.searched();
    const found = indexed;
    indexed = scene.sequence;
    scene.watches.indexReached(indexed);
    return String(found);
  });
  scene.watches.indexReached(indexed);
  using watch = scene.open();
  // What a search has found is not as of a commit that the index did not have.
  expect(await watch.next(never)).toMatchObject({ json: '9', sequence: 9 });
  expect(await watch.next(never)).toMatchObject({ json: '10', sequence: 10 });
});

it('asks again when the index comes to the commit after the search', async () => {
  let indexed = 9;
  const scene = new Scene(async (run) => {
    run.watched?.searched();
    return String(indexed);
  });
  scene.watches.indexReached(indexed);
  using watch = scene.open();
  expect(await watch.next(never)).toMatchObject({ json: '9' });
  indexed = 10;
  scene.watches.indexReached(indexed);
  expect(await watch.next(never)).toMatchObject({ json: '10' });
});

it('gives whoever reads slowly the newest answer alone, and nothing that they have', async () => {
  let value = 1;
  const scene = new Scene(async () => String(value));
  using slow = scene.open();
  using quick = scene.open();
  for (const next of [1, 2, 3]) {
    value = next;
    if (next > 1) scene.commit();
    expect(await quick.next(never)).toMatchObject({ json: String(next) });
  }
  expect(await slow.next(never)).toMatchObject({ json: '3' });
  value = 4;
  scene.commit();
  expect(await quick.next(never)).toMatchObject({ json: '4' });
  value = 3;
  scene.commit();
  expect(await quick.next(never)).toMatchObject({ json: '3' });
  value = 5;
  scene.commit();
  expect(await slow.next(never)).toMatchObject({ json: '5' });
});

it('tells at most four answers a second, and the newest in the end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let value = 0;
  const scene = new Scene(async () => String(value));
  using watch = scene.open();
  const told: unknown[] = [];
  const ending = new AbortController();
  const reading = (async () => {
    while (!ending.signal.aborted) {
      const next = await watch.next(ending.signal);
      if (next?.kind === 'value') told.push(next.json);
    }
  })();
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual(['0']);
  for (let seconds = 1; seconds <= 3; seconds++) {
    // A hundred commits.
    for (let ms = 0; ms < 1_000; ms += 10) {
      value++;
      scene.commit();
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(told).toHaveLength(1 + 4 * seconds);
  }
  value++;
  scene.commit();
  await vi.advanceTimersByTimeAsync(1_000 / WATCH_ANSWERS_PER_SECOND_MAX);
  expect(told.at(-1)).toBe(String(value));
  expect(told).toHaveLength(1 + 4 * 3 + 1);
  // Nothing runs where nothing changes.
  const { runs } = scene.watches.load;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(scene.watches.load.runs).toBe(runs);
  ending.abort();
  await reading;
});

it('says at once that whoever comes back has the answer already', async () => {
  const scene = new Scene(async () => '1');
  using watch = scene.open('{}', callerOf('ann'), 8);
  expect(await watch.next(never)).toBeUndefined();
});

it('takes answers of up to WATCH_VALUE_CHARACTERS_MAX', async () => {
  const scene = new Scene(async ({ body }) => `"${'x'.repeat(Number(body) - 2)}"`);
  using fits = scene.open(String(WATCH_VALUE_CHARACTERS_MAX));
  expect((await fits.next(never))?.kind).toBe('value');
  using larger = scene.open(String(WATCH_VALUE_CHARACTERS_MAX + 1));
  expect(await larger.next(never)).toMatchObject({ error: { code: 'watched_answer_too_large' } });
});

const LIMITS = [
  ['watches of a caller', WATCHES_PER_CALLER_MAX, 'too_many_watches', () => ['ann', '{}']],
  ['watches', WATCHES_MAX, 'watches_full', (i) => [`of ${i % 2}`, '{}']],
  [
    'questions of a caller',
    WATCHED_QUESTIONS_PER_CALLER_MAX,
    'too_many_watches',
    (i) => ['ann', `${i}`],
  ],
  ['questions', WATCHED_QUESTIONS_MAX, 'watches_full', (i) => [`of ${i % 3}`, `${i}`]],
] as const satisfies readonly (readonly [
  string,
  number,
  string,
  (i: number) => readonly [string, string],
])[];

it.each(LIMITS)('takes as many %s as it may: %i', async (what, max, code, asked) => {
  const scene = new Scene(() => new Promise(() => {}));
  const open = (i: number): EndpointWatch => {
    const [caller, body] = asked(i);
    return scene.open(body, callerOf(caller));
  };
  const watches = Array.from({ length: max }, (_, i) => open(i));
  expect(() => open(max), what).toThrow(expect.objectContaining({ code }));
  // The next one has the place of one of the same caller.
  watches[max % 6]?.[Symbol.dispose]();
  watches.push(open(max));
  for (const watch of watches) watch[Symbol.dispose]();
  expect(scene.watches.load).toMatchObject({ watches: 0, questions: 0 });
});

it('counts the bytes that nobody has taken yet', () => {
  const unsent = new UnsentBytes(10);
  using first = unsent.hold(4);
  {
    using second = unsent.hold(6);
    expect([first.isTooMuch, second.isTooMuch]).toEqual([false, false]);
    using third = unsent.hold(1);
    expect(third.isTooMuch).toBe(true);
  }
  using after = unsent.hold(6);
  expect(after.isTooMuch).toBe(false);
});
