import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestPool } from '../testing/test-pool.ts';
import type { TestPool } from '../testing/test-pool.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await openTestPool();
  await pool.run("await scope.graph.addOrUpdate('Book', 'b', { Pages: 7 });");
});
afterAll(() => pool[Symbol.asyncDispose]());

/** What an endpoint does with its realm, and with its scope, when it is well. */
const USE = `
  const book = await scope.graph.get('Book', 'b');
  scope.log.info('still here');
  return [book.Pages, await scope.q().startAt('Book').count()];`;

const POISONS = [
  [
    'Array.prototype',
    "for (const key of ['push', 'join', 'map', 'concat', 'includes']) Array.prototype[key] = () => { throw 1; };",
  ],
  ['the iterator of arrays', 'Array.prototype[Symbol.iterator] = function* () { yield 6; };'],
  [
    'indexes of arrays',
    'Object.defineProperty(Array.prototype, 0, { set() { throw 1; }, configurable: true });',
  ],
  ['toJSON of everything', "Object.prototype.toJSON = () => 'poisoned';"],
  [
    'status of everything',
    "Object.prototype.status = 500; Object.prototype.location = 'http://localhost/';",
  ],
  [
    'code, message and hint of everything',
    "for (const key of ['code', 'message', 'hint', 'details', 'stack']) Object.prototype[key] = 'poisoned';",
  ],
  ['then of everything', 'Object.prototype.then = undefined;'],
  ['JSON', 'JSON.stringify = () => \'[["answer",1,200]]\'; JSON.parse = () => null;'],
  ['Promise.prototype.then', 'Promise.prototype.then = function () { return this; };'],
  ['Promise', 'globalThis.Promise = class { then() {} };'],
  [
    'what promises are made of',
    'Object.defineProperty(Promise, Symbol.species, { get() { throw 1; } }); Promise.resolve = () => { throw 1; };',
  ],
  [
    'Map',
    'for (const key of Reflect.ownKeys(Map.prototype)) try { Map.prototype[key] = () => 1; } catch {} globalThis.Map = undefined;',
  ],
  [
    'String',
    "String.prototype.slice = () => ''; String.prototype.toString = () => ''; globalThis.String = () => 'poisoned';",
  ],
  [
    'Reflect',
    'Reflect.apply = () => {}; Reflect.ownKeys = () => { throw 1; }; globalThis.Reflect = null;',
  ],
  [
    'Error',
    'Error.stackTraceLimit = 1e9; globalThis.Error = class { get stack() { for (;;); } }; try { Error.prepareStackTrace = () => { throw 1; }; } catch {}',
  ],
  [
    'functions',
    'Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1; };',
  ],
  [
    'instanceof',
    'for (const f of [Object, Array, Promise, Error]) try { Object.defineProperty(f, Symbol.hasInstance, { value: () => { throw 1; } }); } catch {}',
  ],
  [
    'its global object',
    'Object.setPrototypeOf(globalThis, new Proxy({}, { get() { throw 1; }, has() { throw 1; } }));',
  ],
  [
    'its scope',
    'for (let p = scope; p !== null; p = Object.getPrototypeOf(p)) for (const key of Reflect.ownKeys(p)) try { delete p[key]; p[key] = () => { throw 1; }; } catch {}',
  ],
  [
    'the graph of its scope',
    'for (let p = Object.getPrototypeOf(scope.graph); p !== Object.prototype; p = Object.getPrototypeOf(p)) for (const key of Reflect.ownKeys(p)) try { delete p[key]; } catch {}',
  ],
] as const;

describe.each(POISONS)('code that spoils %s', (name, poison) => {
  /** The same realm answers all calls of one version. */
  const TEXT = `if (scope.body === 'poison') { ${poison} return null; } ${USE}`;
  const call = (body: string) =>
    pool.run(TEXT, { name, body: JSON.stringify(body), timeoutMs: 1_000 }).catch(String);

  it('harms nobody but itself', async () => {
    expect(await call('use')).toEqual([7, 1]);
    await call('poison');
    // Whatever the next call of that realm makes of it, it is answered.
    await call('use');
    expect(await pool.run(USE, { name: `beside ${name}` })).toEqual([7, 1]);
  });
});

it.each(POISONS)(
  'a module that spoils %s is answered for, and harms nobody',
  async (name, poison) => {
    const spoils = { ...MODULE, fileName: '#lib/spoils.ts', script: `${poison}\nreturn { a: 1 };` };
    const reads = { ...MODULE, parameters: '{ a }', imports: [0], script: 'return { b: a + 1 };' };
    const asked = { name: `module ${name}`, modules: [spoils, reads], timeoutMs: 1_000 };
    // Whatever becomes of it in that realm, it is answered.
    await pool.run(USE, asked).catch(String);
    expect(await pool.run(USE, { name: `beside module ${name}` })).toEqual([7, 1]);
  },
);

const MODULE = { fileName: '#lib/reads.ts', parameters: '', imports: [] };

describe('a module', () => {
  it('is made once for each realm, before the code that imports it', async () => {
    const counts = { ...MODULE, script: 'let count = 0; return { next: () => ++count };' };
    const call = { name: 'counts', imports: [0], parameters: '{ next }', modules: [counts] };
    expect(await pool.run('return next();', call)).toBe(1);
    expect(await pool.run('return next();', call)).toBe(2);
    expect(await pool.run('return next();', { ...call, name: 'counts for itself' })).toBe(1);
  });

  it('that is long is compiled once for all realms, each of which makes its own', async () => {
    const script = `
      Object.prototype.extra = 'poison';
      let count = 0;
      return { next: () => ++count };`;
    const counts = { ...MODULE, script, digest: 'counts' };
    pool.pool.prepareScript(counts);
    const call = { imports: [0], parameters: '{ next }', modules: [counts] };
    for (const name of ['long', 'long for itself']) {
      expect(await pool.run('return next();', { ...call, name })).toBe(1);
      expect(await pool.run('return next() + ({}).extra;', { ...call, name })).toBe('1poison');
    }
    expect(await pool.run("return 'extra' in {};", { name: 'beside long' })).toBe(false);
  });

  it.each([
    ["throw new Error('not today');", 'Error: not today'],
    ["return import('node:fs');", 'the code is not loaded: it imports or exports'],
    ['return {; };', 'the code is not valid JavaScript'],
    ["return (0, eval)('1');", 'EvalError'],
    ['return new Function("return 1")();', 'EvalError'],
    ['return process.env;', 'ReferenceError'],
    ['return require("fs");', 'ReferenceError'],
  ])('that does %s makes its endpoint fail', async (script, message) => {
    for (const digest of [undefined, script]) {
      const modules = [{ ...MODULE, script, digest }];
      const fault = await pool.fault('return 1;', { name: `${digest} ${script}`, modules });
      expect(fault).toMatchObject({ kind: 'failed', message: expect.stringContaining(message) });
    }
  });
});

describe('code that knows the messages of the bridge', () => {
  /** The number of another call that is under way, as it would guess it. */
  const FORGED = [
    ['in a text that it logs', 'scope.log.info(`x\n]\\n[3,"answer",${id},200]`);'],
    ['in the operation of a request', 'scope.run(`x",1],[3,"answer",${id},200`).catch(() => {});'],
    ['in what is thrown', 'if (id === 1) throw new Error(`[[3,"answer",${id},200]]\\n666`);'],
    [
      'with a number that is none',
      'await scope.graph.tryGet({ toJSON: () => `],["answer",${id}` }, id).catch(() => {});',
    ],
    [
      'by its own scope',
      "try { new scope.constructor({ id, isReadOnly: false, body: 1, headers: '{}', user: 'null' }).log.info('as ' + id); } catch {}",
    ],
    [
      'by its own graph',
      "try { await new scope.graph.constructor(id).addOrUpdate('Book', 'forged'); } catch {}",
    ],
  ] as const;

  it.each(FORGED)('does not speak for others: %s', async (_case, forge) => {
    const end = new AbortController();
    const waits =
      'await new Promise((go) => scope.signal.addEventListener("abort", go)); return 1;';
    const victim = pool.run(waits, { name: 'victim', signal: end.signal }).catch(() => 'given up');
    const code = `for (let id = 0; id < 400; id++) { ${forge} } return 'done';`;
    await pool.run(code, { name: forge, isReadOnly: true, timeoutMs: 5_000 }).catch(() => {});
    end.abort();
    expect(await victim).toBe('given up');
    // One of the numbers is its own.
    const spoken = pool.log.filter(({ message }) => /^as \d/.test(message));
    expect(spoken.length).toBeLessThanOrEqual(1);
    pool.graph.reader.refresh();
    expect(pool.graph.reader.id({ type: 'Book', key: 'forged' })).toBeUndefined();
  });
});
