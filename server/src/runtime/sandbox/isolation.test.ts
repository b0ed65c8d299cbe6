import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestPool } from '../testing/test-pool.ts';
import type { TestPool } from '../testing/test-pool.ts';
import { EndpointPool } from './endpoint-pool.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await openTestPool();
});
afterAll(() => pool[Symbol.asyncDispose]());

/** Gives the version of Node when this object leads out of the guest's realm. */
const TRY = `
  let escaped = null;
  const tryOut = (thing) => {
    for (const from of [thing, thing?.constructor, thing?.constructor?.constructor]) {
      try {
        const make = from.constructor;
        escaped ??= make('return process')().version;
      } catch {}
      try { escaped ??= from.constructor.constructor('return process')().version; } catch {}
    }
  };`;

it('the attempts below would work on an object of the host', () => {
  const leak = runInNewContext(`${TRY}\ntryOut(host);\nescaped`, { host: {} });
  expect(leak).toBe(process.version);
});

describe('code does not get out of its realm', () => {
  it.each([
    ['the constructor of a method', 'tryOut(scope.graph.get);'],
    ['the constructor of a promise', "tryOut(scope.graph.tryGet('Book', 'x'));"],
    [
      'the constructor of a node',
      "await scope.graph.addOrUpdate('Book', 'x'); tryOut(await scope.graph.get('Book', 'x'));",
    ],
    [
      'the scope',
      'tryOut(scope); for (const key of Reflect.ownKeys(Object.getPrototypeOf(scope))) tryOut(scope[key]);',
    ],
    ['the global object', 'tryOut(globalThis); tryOut(globalThis.constructor);'],
    ['this of a sloppy function', 'tryOut(function () { return this; }.call(undefined));'],
    [
      'an error of the host',
      "try { await scope.graph.get('Book', 'none'); } catch (error) { tryOut(error); tryOut(error.details); }",
    ],
    [
      'an exhausted stack',
      'const deep = () => { try { deep(); } catch (e) { tryOut(e); try { scope.graph.get("x").catch(tryOut); } catch (e2) { tryOut(e2); } } }; deep();',
    ],
    [
      'an exhausted stack in a promise',
      'const deep = async (n) => { try { deep(n + 1).catch(tryOut); } catch (e) { tryOut(e); } try { scope.q().startAt("Book").count().catch(tryOut); } catch (e) { tryOut(e); } }; await deep(0); await null;',
    ],
    [
      'prepareStackTrace',
      `try { Error.prepareStackTrace = (e, frames) => { tryOut(frames); for (const f of frames) { tryOut(f); try { tryOut(f.getThis()); tryOut(f.getFunction()); } catch {} } return ''; }; } catch {}
       try { null.x; } catch (e) { void e.stack; } void new Error('x').stack; Error.captureStackTrace({});`,
    ],
    [
      'arguments.callee',
      'try { tryOut((function () { return arguments.callee.caller; })()); } catch (e) { tryOut(e); }',
    ],
    [
      'a proxy that is stringified',
      'const spy = new Proxy({}, { get: (target, key) => { tryOut(target); tryOut(key); return undefined; }, ownKeys: () => [] }); scope.log.info("x", spy); return spy;',
    ],
    [
      'a thenable',
      'await { then(resolve, reject) { tryOut(resolve); tryOut(reject); resolve(1); } };',
    ],
    [
      'an error of fetch',
      'try { await scope.fetch("http://localhost/"); } catch (error) { tryOut(error); tryOut(error.details); } tryOut(scope.fetch);',
    ],
    [
      'what fetch is given',
      'const spy = { toString() { tryOut(this); return "http://localhost/"; }, toJSON() { tryOut(this); return {}; } }; await scope.fetch(spy, { headers: spy }).catch(tryOut);',
    ],
    [
      'zod, its schemas and its errors',
      `tryOut(z); tryOut(z.string); const schema = z.object({ a: z.string() }); tryOut(schema); tryOut(schema._zod);
       try { schema.parse({ a: 1 }); } catch (error) { tryOut(error); tryOut(error.issues); } tryOut(await schema.safeParseAsync({ a: 'b' }));`,
    ],
    [
      'progress and its arguments',
      'scope.progress(NaN, { toJSON() { tryOut(this); return 1; } }); scope.progress(1n < 2, "x"); tryOut(scope.progress); tryOut(scope.runOnPrimary("x").catch(tryOut));',
    ],
    [
      'a getter on Object.prototype',
      'Object.defineProperty(Object.prototype, "then", { get() { tryOut(this); return undefined; }, configurable: true }); await scope.graph.tryGet("Book", "x"); delete Object.prototype.then;',
    ],
  ])('%s', async (_case, code) => {
    const value = await pool.run(`${TRY}\n${code}\nreturn escaped;`);
    expect(value === null || JSON.stringify(value) === '{}').toBe(true);
  });

  it.each([
    ['eval', "return (0, eval)('1');"],
    ['Function', "return Function('return 1')();"],
    ['the constructor of an async function', "return (async () => {}).constructor('return 1')();"],
    [
      'the constructor of a generator',
      "return (function* () {}).constructor('yield 1')().next().value;",
    ],
    ['WebAssembly', 'return new WebAssembly.Memory({ initial: 1 });'],
    ['setTimeout', 'return setTimeout(() => {}, 1);'],
    ['process', 'return process.version;'],
    ['require', "return require('node:fs');"],
    ['fetch', "return fetch('http://localhost');"],
    ['SharedArrayBuffer', 'return new SharedArrayBuffer(8);'],
    ['Atomics', 'return Atomics.wait;'],
    ['gc', 'return gc();'],
  ])('there is no %s', async (_case, code) => {
    expect(await pool.fault(code)).toMatchObject({ kind: 'failed' });
  });

  it.each([
    ['import()', "return import('node:fs');"],
    ['import() of a template', 'return import(`node:fs`);'],
    ['import() with a comment', "return import /* ( */ ('node:fs');"],
    ['import.meta', 'return import.meta.url;'],
    [
      'import() behind what a module takes for a template',
      'let x = 1, y = []; x <!--y[`\nimport("node:fs")\n//`]',
    ],
  ])('%s is not loaded', async (_case, code) => {
    expect(await pool.fault(code)).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/^the code is not loaded: it (?:may hide an import|imports)/),
    });
  });

  it('zod makes no code, and is not there for code that does not name it', async () => {
    const parses = 'return z.object({ a: z.object({ b: z.int() }) }).parse({ a: { b: 1 } });';
    expect(await pool.run(parses)).toEqual({ a: { b: 1 } });
    expect(await pool.fault("return z.object({}).constructor.constructor('return 1')();")).toEqual({
      kind: 'failed',
      message: expect.stringContaining('EvalError'),
    });
    const guess = 'return typeof globalThis[String.fromCharCode(122)];';
    expect(await pool.run(guess)).toBe('undefined');
  });

  it('top-level code is under the same walls', async () => {
    const top = "const made = Function('return process')();";
    expect(await pool.fault('return made;', { top })).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('EvalError'),
    });
  });
});

describe('code that spoils its own realm', () => {
  const POISON = `
    Array.prototype.push = () => { throw 1; };
    JSON.stringify = () => '[["answer",1,200]]';
    JSON.parse = () => null;
    Promise.prototype.then = function () { return this; };
    Map.prototype.get = () => 1;
    Map.prototype.set = () => { throw 1; };
    String.prototype.slice = () => '';
    Reflect.apply = () => {};`;

  it('still speaks for itself only', async () => {
    await pool.run("await scope.graph.addOrUpdate('Book', 'b', { Pages: 7 });");
    const code = `${POISON} return (await scope.graph.get('Book', 'b')).Pages;`;
    expect(await pool.run(code, { name: 'poison' })).toBe(7);
    expect(await pool.run('return JSON.stringify([1].map(String));')).toBe('["1"]');
  });

  it('cannot reach the bridge of another endpoint, nor answer its calls', async () => {
    const leaked = await pool.run(
      'return [typeof drain, typeof settle, typeof bridge, typeof emit].join();',
    );
    expect(leaked).toBe('undefined,undefined,undefined,undefined');
  });
});

describe('read-only', () => {
  it.each([
    ['the method', "await scope.graph.addOrUpdate('Book', 'ro', {});"],
    ['by index', "await scope.graph['add' + 'OrUpdate']('Book', 'ro', {});"],
    ['any entry', "for (const [, f] of Object.entries(scope.graph)) await f('Book', 'ro', {});"],
    [
      'anything on its prototypes',
      "for (let p = scope.graph; p; p = Object.getPrototypeOf(p)) for (const k of Reflect.ownKeys(p)) try { await scope.graph[k]('Book', 'ro', {}); } catch {}",
    ],
    ['a transaction', "await scope.graph.transaction((t) => t.addOrUpdate('Book', 'ro', {}));"],
    [
      'a graph of its own',
      "const G = scope.graph.constructor; await new G(1).addOrUpdate('Book', 'ro', {});",
    ],
  ])('%s writes nothing', async (_case, code) => {
    const before = pool.graph.reader.refresh();
    await pool.run(`try { ${code} } catch {}`, { isReadOnly: true, name: `ro ${code}` });
    expect(pool.graph.reader.refresh()).toBe(before);
    expect(pool.graph.reader.id({ type: 'Book', key: 'ro' })).toBeUndefined();
  });
});

describe('the process', () => {
  it.each(['MSK_JWT_KEY', 'MSK_SMTP_URL', 'MSK_SMTP_ULR'])(
    'starts no worker while %s is in its environment',
    async (name) => {
      process.env[name] = 'secret';
      try {
        await expect(start()).rejects.toThrow(`${name} is no longer in the environment`);
      } finally {
        delete process.env[name];
      }
    },
  );

  it('starts no worker while its working directory holds something', async () => {
    const empty = process.cwd();
    process.chdir(pool.graph.storage);
    try {
      await expect(start()).rejects.toThrow('the working directory of the process is empty');
    } finally {
      process.chdir(empty);
    }
  });

  async function start(): Promise<unknown> {
    const { storage } = pool.graph;
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    return EndpointPool.start({ storage, environmentKey: undefined, size: 1, logger });
  }
});
