import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestPool } from '../testing/test-pool.ts';
import type { TestPool } from '../testing/test-pool.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await openTestPool();
});
afterAll(() => pool[Symbol.asyncDispose]());

const PATIENT = { timeoutMs: 60_000 };

/**
 * Goes down until the stack is used up, with frames of every size, and on the way up asks for
 * stacks where there is hardly room for what formats them. `found` tells of the errors that are not
 * of this realm: those of the realm that formats make no code of texts, where those of the worker's
 * have no way to try.
 */
const AT_THE_END = `
  const found = { foreign: 0, leading: [] };
  const look = (error) => {
    if (error instanceof Object) return;
    found.foreign++;
    let end = 'code';
    try { error.constructor.constructor('return 1'); } catch (refusal) { end = refusal.name; }
    if (!Object.isFrozen(Object.getPrototypeOf(error))) end = 'not frozen';
    if (end !== 'EvalError') found.leading.push(end + ' of ' + String(error));
  };
  for (let size = 0; size < 160; size++) {
    const padding = new Array(size).fill(0);
    let looks = 60;
    const deep = (...rest) => {
      try { deep(...padding); } catch (error) { look(error); }
      if (looks-- <= 0) return;
      try { void new Error('x').stack; } catch (error) { look(error); }
      try { null.x; } catch (error) { try { void error.stack; } catch (second) { look(second); } }
      try { const own = {}; Error.captureStackTrace(own); void own.stack; } catch (error) { look(error); }
    };
    deep();
  }
  return found;`;

it('no error of the realm of the worker reaches a guest, with a stack used up to any byte', async () => {
  const found = await pool.run(AT_THE_END, PATIENT);
  expect(found).toMatchObject({ leading: [] });
  // It did come to the place where what formats a stack has no room.
  expect((found as { foreign: number }).foreign).toBeGreaterThan(0);
});

it.each([
  ['Error itself', 'globalThis.Error = hook;'],
  [
    'a property of Error',
    "try { Reflect.defineProperty(Error, 'prepareStackTrace', { value: hook.prepareStackTrace }); } catch {}",
  ],
  ['the prototype of functions', 'Function.prototype.prepareStackTrace = hook.prepareStackTrace;'],
  ['everything', 'Object.prototype.prepareStackTrace = hook.prepareStackTrace;'],
])('a hook for stacks on %s is not called', async (_where, set) => {
  const code = `
    const seen = [];
    const hook = { prepareStackTrace: (error, sites) => { seen.push(String(sites)); return 'mine'; } };
    ${set}
    try { null.x; } catch (error) { seen.push(typeof error.stack, error.stack === 'mine'); }
    return seen;`;
  expect(await pool.run(code, { name: set })).toEqual(['string', false]);
});

it('a stack shows the code of the endpoint, and not where the server lies', async () => {
  const code = `
    const f = () => null.x;
    try { f(); } catch (error) { return error.stack; }`;
  const stack = String(await pool.run(code, { name: 'shows' }));
  expect(stack).toMatch(
    /^TypeError: Cannot read properties of null \(reading 'x'\)\n {4}at f \(shows\.ts:/,
  );
  expect(stack).not.toMatch(/file:|node:|\/server\/|worker/);
});
