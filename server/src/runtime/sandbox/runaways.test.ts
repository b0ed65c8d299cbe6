import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampled } from '../../../../test/support/scale.ts';
import { openTestPool } from '../testing/test-pool.ts';
import type { TestCall, TestPool } from '../testing/test-pool.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await openTestPool();
});
afterAll(() => pool[Symbol.asyncDispose]());

/** What a dead worker was last at, such as one long JSON text, may hold a core for seconds. */
const PATIENT = { timeoutMs: 45_000 };

/** How many of each list below a run of all tests takes. */
const CASES = 7;

/** Runs the code; meanwhile and afterwards other endpoints are answered. */
async function runBesideNeighbours(body: string, call: TestCall = { timeoutMs: 300 }) {
  const attack = pool.fault(body, call);
  const neighbours = Array.from({ length: 20 }, () => pool.run('return 0;', PATIENT).catch(String));
  expect(new Set(await Promise.all(neighbours))).toEqual(new Set([0]));
  const fault = await attack;
  expect(await pool.run("return 'afterwards';", PATIENT)).toBe('afterwards');
  return fault;
}

const ENDLESS: readonly (readonly [string, string] | readonly [string, string, string])[] = [
  ['a loop', 'for (;;);'],
  ['a chain of microtasks', 'for (;;) await null;'],
  ['a chain of promises', 'const again = () => Promise.resolve().then(again); await again();'],
  ['a regular expression', "return /^(a+)+$/.test('a'.repeat(60) + 'b');"],
  ['toJSON', 'return { toJSON() { for (;;); } };'],
  ['a thenable', 'return { then() { for (;;); } };'],
  ['a getter of the result', 'return { get x() { for (;;); } };'],
  ['a trap of a proxy', 'return new Proxy({}, { ownKeys() { for (;;); } });'],
  [
    'a trap of a proxy that is asked for its prototype',
    'throw new Proxy({}, { getPrototypeOf() { for (;;); } });',
  ],
  ['a sort whose comparisons do not end', 'return [3, 2, 1].sort(() => { for (;;); });'],
  ['a generator', 'return [...(function* () { for (;;) yield; })()].length;', 'memory'],
  [
    'an asynchronous generator',
    'for await (const x of (async function* () { for (;;) yield 1; })());',
  ],
  ['toString', 'throw { toString() { for (;;); } };'],
  ['a replacing function of a text', "return 'a'.repeat(1e3).replace(/a/g, () => { for (;;); });"],
  [
    'a chain of species',
    'class Own extends Promise { static get [Symbol.species]() { for (;;); } } await new Own((go) => go(1)).then(() => 1);',
  ],
  [
    'a listener',
    "scope.signal.addEventListener('abort', () => {}); for (;;) scope.signal.aborted;",
  ],
  [
    'its own prototype of promises',
    'Promise.prototype.then = function () { for (;;); }; await Promise.resolve(1).then(() => 1);',
  ],
  ['reads without end', "for (;;) await scope.graph.tryGet('Book', 'x');"],
  ['what an error says of itself', 'throw { get stack() { for (;;); } };'],
  ['a promise that nobody keeps', 'await new Promise(() => {});'],
  ['a loop in a later turn', "await scope.graph.addOrUpdate('Book', 'later'); for (;;);"],
];

describe('code that does not end', () => {
  it.each(sampled(ENDLESS, CASES))('%s', async (_case, body, kind?: string) => {
    const kinds = ['timeout', ...(kind === undefined ? [] : [kind])];
    expect(kinds).toContain((await runBesideNeighbours(body)).kind);
  });

  it('outside the function', async () => {
    const call = { top: 'for (;;);', timeoutMs: 300, name: 'top' };
    expect(await runBesideNeighbours('return 1;', call)).toMatchObject({ kind: 'timeout' });
  });

  it('after its answer', async () => {
    const body =
      'Promise.resolve().then(() => {}).then(async () => { for (let i = 0; i < 50; i++) await null; for (;;); }); return 1;';
    const answers = await Promise.all([
      pool.run(body).catch((error: unknown) => error),
      pool.run('return 2;', { name: 'neighbour of the late one' }),
    ]);
    expect(answers[1]).toBe(2);
    expect(await pool.run("return 'afterwards';")).toBe('afterwards');
  });
});

const GREEDY: readonly (readonly [string, string])[] = [
  ['an array', 'const all = []; for (;;) all.push({ a: all.length });'],
  ['a map', 'const map = new Map(); for (let i = 0; ; i++) map.set(i, String(i));'],
  [
    'texts',
    "const all = []; for (let i = 0; ; i++) all.push('x'.repeat(1e5) + i, ...all.slice(-1).map((s) => s.toUpperCase()));",
  ],
  ['typed arrays', 'const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1));'],
  ['one large array', 'return new Array(2e8).fill({}).length;'],
  ['parsed JSON', "return JSON.parse('[' + '[1],'.repeat(3e7) + '1]').length;"],
  [
    'a sort',
    'const all = Array.from({ length: 3e7 }, (_, i) => ({ i: -i })); return all.sort((a, b) => a.i - b.i).length;',
  ],
  ['a spread', 'let all = [1]; for (;;) all = [...all, ...all, {}];'],
  [
    'a result',
    "const big = 'x'.repeat(1e8); return [big, big, big, big].map((s) => s + s).join('');",
  ],
  ['what it asks for', "for (;;) scope.graph.tryGet('Book', 'x'.repeat(1e5));"],
  ['a text that doubles', "let s = 'x'; for (;;) { s += s; s.charCodeAt(s.length / 2); }"],
  ['a large integer', 'let n = 3n; for (;;) n *= n;'],
  [
    'what it makes JSON of',
    "const all = Array.from({ length: 1e3 }, () => 'x'.repeat(1e5)); for (const kept = []; ; ) kept.push(JSON.stringify(all));",
  ],
  ['promises', 'const all = []; for (;;) all.push(new Promise(() => {}).then(() => 1));'],
  [
    'closures',
    'let f = () => 1; const all = []; for (;;) { const g = f; const own = new Array(100); f = () => g() + own.length; all.push(f); }',
  ],
  ['symbols', "const all = {}; for (let i = 0; ; i++) all[Symbol('x' + i)] = i;"],
  ['array buffers', 'const all = []; for (;;) all.push(new ArrayBuffer(1e9));'],
  ['a set of arrays', 'const all = new Set(); for (;;) all.add(new Array(1e5).fill(all.size));'],
  [
    'a group of matches',
    "return 'ab'.repeat(5e6).match(/(a)|(b)/g).map((m) => ({ m })).flatMap((m) => [m, m, m, m, m, m, m, m]).length;",
  ],
  ['a result of a gigabyte', "const big = 'x'.repeat(5e8); return { a: big, b: big };"],
  ['its progress', "for (;;) scope.progress(0.5, 'x'.repeat(1e5));"],
  ['what it asks other endpoints', "for (;;) scope.run('x', 'x'.repeat(1e5));"],
  ['requests to other servers', "for (;;) scope.fetch('http://localhost/' + 'x'.repeat(1e5));"],
  ['what it logs', "for (;;) scope.log.info('x'.repeat(1e5));"],
];

describe('code that takes all memory', () => {
  it.each(sampled(GREEDY, CASES))('%s', async (_case, body) => {
    const { kind } = await runBesideNeighbours(body);
    expect(['memory', 'timeout', 'failed']).toContain(kind);
  });

  it('ends for that reason', async () => {
    const body = 'const all = []; for (;;) all.push({ a: all.length });';
    const fault = await pool.fault(body, { timeoutMs: 20_000 });
    expect(fault).toEqual({ kind: 'memory', message: 'it used too much memory' });
  });
});

const FAULTY: readonly (readonly [string, string, RegExp])[] = [
  ['recursion', 'const f = (n) => f(n + 1) + 1; return f(0);', /RangeError/],
  [
    'recursion of JSON',
    'const a = []; let b = a; for (let i = 0; i < 1e5; i++) { b.push([]); b = b[0]; } return a;',
    /RangeError/,
  ],
  [
    'recursion of async functions',
    'const f = async (n) => (await f(n + 1)) + 1; return f(0);',
    /RangeError/,
  ],
  ['recursion of getters', 'const a = { get x() { return this.x; } }; return a;', /RangeError/],
  [
    'recursion of toJSON',
    'const again = () => ({ toJSON: () => [again()] }); return again();',
    /RangeError/,
  ],
  ['Atomics.wait', 'Atomics.wait(new Int32Array(4), 0, 0);', /ReferenceError/],
  ['WebAssembly', 'return new WebAssembly.Memory({ initial: 1e5 });', /ReferenceError/],
  ['shared memory', 'return new SharedArrayBuffer(1);', /ReferenceError/],
  ['setInterval', 'setInterval(() => {}, 0);', /ReferenceError/],
  ['structuredClone', 'return structuredClone({});', /ReferenceError/],
  ['require', "return require('node:fs');", /ReferenceError/],
  ['a text that is too long', "return 'x'.repeat(2 ** 30);", /RangeError/],
  ['an array that is too long', 'return new Array(-1);', /RangeError/],
  ['a large bigint', 'return (2n ** (2n ** 40n)).toString();', /RangeError/],
  ['process.exit', 'process.exit(1);', /ReferenceError/],
  ['a bigint as the result', 'return 1n;', /TypeError/],
  ['a circle as the result', 'const a = {}; a.a = a; return a;', /TypeError/],
  ['nothing that can be shown', 'throw new Proxy({}, { get() { throw 1; } });', /cannot be shown/],
];

describe('code that ends its call only', () => {
  it.each(sampled(FAULTY, CASES))('%s', async (_case, body, message) => {
    expect(await runBesideNeighbours(body, PATIENT)).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(message),
    });
  });

  it('a rejection that nobody looks at', async () => {
    expect(await pool.run("void Promise.reject(new Error('alone')); return 'done';")).toBe('done');
    expect(await pool.run("return 'afterwards';")).toBe('afterwards');
  });

  it('an error in what listens for the end of the call', async () => {
    const caller = new AbortController();
    const call = pool.run(
      "scope.signal.addEventListener('abort', () => { throw 1; }); await new Promise(() => {});",
      { signal: caller.signal, name: 'listens' },
    );
    caller.abort(new Error('gone'));
    await expect(call).rejects.toThrow('gone');
    expect(await pool.run("return 'afterwards';")).toBe('afterwards');
  });
});
