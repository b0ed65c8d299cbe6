import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENDPOINT_POOLED_RUNS_PER_CALLER_MAX } from '#base/endpoint-limits.ts';
import { Problem } from '#base/problem.ts';
import type { EndpointAnswer } from './call-outcome.ts';
import { PooledRuns, PROGRESS_HEADER, RUN_KEY_HEADER } from './pooled-runs.ts';
import type { PooledRunsOptions, RunControl, RunOutcome } from './pooled-runs.ts';

/** A run that the test ends. */
interface BegunRun {
  readonly control: RunControl;
  readonly finish: (body: string) => void;
  readonly fail: (error: unknown) => void;
}

/** Runs of one endpoint, begun by whatever asks for them. */
class Scene {
  readonly runs: PooledRuns;
  readonly begun: BegunRun[] = [];

  constructor(options: PooledRunsOptions = {}) {
    this.runs = new PooledRuns({ waitMs: 1, ...options });
  }

  request(body: string, caller = 'ada', minSequence = 0): Promise<EndpointAnswer> {
    const request = { requestKey: `${caller} ${body}`, owner: this.owner(caller), minSequence };
    return this.runs.request(request, (control) => {
      const outcome = Promise.withResolvers<RunOutcome>();
      this.begun.push({
        control,
        finish: (json) => outcome.resolve({ answer: { status: 200, body: json }, sequence: 5 }),
        fail: outcome.reject,
      });
      return outcome.promise;
    });
  }

  owner(caller = 'ada', endpoint = 'report') {
    return { endpoint, caller };
  }

  get last(): BegunRun {
    const run = this.begun.at(-1);
    if (run === undefined) throw new Error('nothing was begun');
    return run;
  }
}

function keyOf({ headers }: EndpointAnswer): string {
  return headers?.[RUN_KEY_HEADER] ?? '';
}

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome: unknown = await promise.catch((error: unknown) => error);
  return outcome instanceof Problem ? outcome.code : outcome;
}

describe('a request', () => {
  it('is answered at once when its run ends soon', async () => {
    const scene = new Scene({ waitMs: 60_000 });
    const answer = scene.request('a');
    scene.last.finish('1');
    expect(await answer).toMatchObject({ status: 200, body: '1' });
    expect(keyOf(await answer)).toMatch(/^[\w-]{22}$/);
  });

  it('is answered 202 with a key, and the key leads to the result, more than once', async () => {
    const scene = new Scene();
    const first = await scene.request('a');
    const key = keyOf(first);
    expect(first).toEqual({ status: 202, headers: { [RUN_KEY_HEADER]: key }, body: null });
    scene.last.control.onProgress({ fraction: 0.5, text: 'ü & more' });
    expect((await scene.runs.poll(key, scene.owner())).headers?.[PROGRESS_HEADER]).toBe(
      'fraction=0.5&text=%C3%BC+%26+more',
    );
    scene.last.finish('7');
    for (const _ of [1, 2]) {
      const answer = await scene.runs.poll(key, scene.owner());
      const headers = { [RUN_KEY_HEADER]: key, 'x-msk-sequence': '5' };
      expect(answer).toEqual({ status: 200, headers, body: '7' });
    }
    expect(scene.begun).toHaveLength(1);
  });

  it('joins the run of the same request, and after its result begins a new one', async () => {
    const scene = new Scene();
    const keys = [keyOf(await scene.request('a')), keyOf(await scene.request('a'))];
    expect(new Set(keys).size).toBe(1);
    scene.last.finish('1');
    expect(await scene.request('a')).toMatchObject({ status: 200, body: '1' });
    expect(await scene.request('a')).toMatchObject({ status: 202 });
    expect(scene.begun).toHaveLength(2);
  });

  it('is not given a result that reflects too little, or that has waited for long', async () => {
    const scene = new Scene();
    await scene.request('a', 'ada', 6);
    scene.last.finish('old');
    await new Promise((resolve) => setImmediate(resolve));
    const next = await scene.request('a', 'ada', 6);
    expect([next.status, scene.begun.length]).toEqual([202, 2]);
    const hasty = new Scene({ joinedMs: -1 });
    const key = keyOf(await hasty.request('a'));
    hasty.last.finish('old');
    await new Promise((resolve) => setImmediate(resolve));
    expect([(await hasty.request('a')).status, hasty.begun.length]).toEqual([202, 2]);
    expect(await hasty.runs.poll(key, hasty.owner())).toMatchObject({ body: 'old' });
  });

  it('is given the error of its run', async () => {
    const scene = new Scene();
    const key = keyOf(await scene.request('a'));
    scene.last.fail(new Problem('endpoint_timeout', 'too long'));
    expect(await codeOf(scene.runs.poll(key, scene.owner()))).toBe('endpoint_timeout');
    expect(await codeOf(scene.runs.poll(key, scene.owner()))).toBe('endpoint_timeout');
  });

  it('is refused when the caller has as many runs under way as may be', async () => {
    const scene = new Scene({ waitMs: 0 });
    for (let i = 0; i < ENDPOINT_POOLED_RUNS_PER_CALLER_MAX; i++) await scene.request(String(i));
    expect(await codeOf(scene.request('more'))).toBe('endpoint_overloaded');
    expect(await scene.request('0')).toMatchObject({ status: 202 });
    expect(await scene.request('more', 'bob')).toMatchObject({ status: 202 });
    scene.begun[0]?.finish('1');
    await scene.request('0');
    expect(await scene.request('more')).toMatchObject({ status: 202 });
  });
});

describe('a key', () => {
  it('is worth nothing to another caller, for another endpoint, or when it was made up', async () => {
    const scene = new Scene();
    const key = keyOf(await scene.request('a'));
    for (const owner of [scene.owner('bob'), scene.owner('ada', 'other')]) {
      expect(await codeOf(scene.runs.poll(key, owner))).toBe('run_not_found');
      expect(() => scene.runs.cancel(key, owner)).toThrow(Problem);
    }
    expect(await codeOf(scene.runs.poll('x', scene.owner()))).toBe('run_not_found');
    expect(scene.last.control.signal.aborted).toBe(false);
  });

  it('cancels its run, for everybody who waits', async () => {
    const scene = new Scene({ waitMs: 20 });
    const key = keyOf(await scene.request('a'));
    const waiting = codeOf(scene.request('a'));
    scene.runs.cancel(key, scene.owner());
    expect(await waiting).toBe('run_not_found');
    const [cancelled] = scene.begun;
    expect(cancelled?.control.signal.aborted).toBe(true);
    expect(await codeOf(scene.runs.poll(key, scene.owner()))).toBe('run_not_found');
    const next = keyOf(await scene.request('a'));
    cancelled?.finish('1');
    scene.last.finish('2');
    expect(await scene.runs.poll(next, scene.owner())).toMatchObject({ body: '2' });
    expect(scene.begun).toHaveLength(2);
  });

  it('is forgotten when nobody comes for the result', async () => {
    const scene = new Scene({ keptMs: 1 });
    const key = keyOf(await scene.request('a'));
    scene.last.finish('1');
    await expect
      .poll(() => codeOf(scene.runs.poll(key, scene.owner())), { interval: 5 })
      .toBe('run_not_found');
    // It was not remembered for the request either.
    await scene.request('a');
    expect(scene.begun).toHaveLength(2);
  });

  it('is forgotten for newer results when they take too much room', async () => {
    const scene = new Scene({ charactersMax: 10 });
    const keys: string[] = [];
    for (const body of ['a', 'b', 'c']) {
      keys.push(keyOf(await scene.request(body)));
      scene.last.finish('12345');
      await new Promise((resolve) => setImmediate(resolve));
    }
    const outcomes = keys.map((key) => codeOf(scene.runs.poll(key, scene.owner())));
    expect(await Promise.all(outcomes)).toEqual([
      'run_not_found',
      expect.objectContaining({ body: '12345' }),
      expect.objectContaining({ body: '12345' }),
    ]);
  });
});

interface OpenRun {
  readonly caller: string;
  readonly body: string;
  readonly isCancelled: () => boolean;
  readonly finish: () => void;
}

const CALLERS = ['ada', 'bob', 'cyd'];
const BODIES = ['x', 'y'];
const step = fc.oneof(
  fc.record({
    kind: fc.constant('request' as const),
    caller: fc.constantFrom(...CALLERS),
    body: fc.constantFrom(...BODIES),
  }),
  fc.record({
    kind: fc.constant('poll' as const),
    caller: fc.constantFrom(...CALLERS),
    which: fc.nat(9),
  }),
  fc.record({
    kind: fc.constant('cancel' as const),
    caller: fc.constantFrom(...CALLERS),
    which: fc.nat(9),
  }),
  fc.record({ kind: fc.constant('end' as const), which: fc.nat(9) }),
);

it('whatever comes in whatever order, each caller gets the answer of its own run', async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const runs = new PooledRuns({ waitMs: 0 });
    const open: OpenRun[] = [];
    const keys: { key: string; caller: string; body: string }[] = [];
    const checks: Promise<void>[] = [];
    let count = 0;
    const note = async (call: Promise<EndpointAnswer>, caller: string, body: string) => {
      const answer = await call.catch((error: unknown) => error);
      if (answer instanceof Problem) {
        expect(answer.code).toBe('run_not_found');
        return;
      }
      const { status, body: json, headers } = answer as EndpointAnswer;
      const key = headers?.[RUN_KEY_HEADER] ?? '';
      keys.push({ key, caller, body });
      expect([200, 202]).toContain(status);
      if (status === 200) expect(json).toMatch(new RegExp(`^${caller} ${body} \\d+$`));
    };
    for (const one of steps) {
      if (one.kind === 'request') {
        const { caller, body } = one;
        const begin = ({ signal }: RunControl) => {
          const same = open.filter((run) => run.caller === caller && run.body === body);
          expect(same, 'one run for each caller and body').toEqual([]);
          const outcome = Promise.withResolvers<RunOutcome>();
          const json = `${caller} ${body} ${++count}`;
          const run = {
            caller,
            body,
            isCancelled: () => signal.aborted,
            finish: () => {
              if (signal.aborted) outcome.reject(signal.reason);
              else outcome.resolve({ answer: { status: 200, body: json }, sequence: 1 });
            },
          };
          open.push(run);
          return outcome.promise;
        };
        const owner = { endpoint: 'e', caller };
        const request = { requestKey: `${caller} ${body}`, owner, minSequence: 0 };
        checks.push(note(runs.request(request, begin), caller, body));
      } else if (one.kind === 'end') {
        open.splice(one.which % Math.max(1, open.length), 1)[0]?.finish();
      } else {
        const known = keys[one.which % Math.max(1, keys.length)];
        if (known === undefined) continue;
        const owner = { endpoint: 'e', caller: one.caller };
        if (one.kind === 'poll') {
          const poll = runs.poll(known.key, owner);
          if (one.caller === known.caller) checks.push(note(poll, known.caller, known.body));
          else expect(await codeOf(poll)).toBe('run_not_found');
        } else if (one.caller !== known.caller) {
          expect(() => runs.cancel(known.key, owner)).toThrow(Problem);
        } else {
          const cancel = () => runs.cancel(known.key, owner);
          // It may have been cancelled before, or have ended.
          await codeOf(Promise.resolve().then(cancel));
          for (const run of open.filter(({ isCancelled }) => isCancelled())) {
            open.splice(open.indexOf(run), 1)[0]?.finish();
          }
        }
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const run of open) run.finish();
    await Promise.all(checks);
    runs.close();
  });
  await fc.assert(property, { numRuns: 150 });
});
