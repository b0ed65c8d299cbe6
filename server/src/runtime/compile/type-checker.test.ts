import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { CheckTimeout, surviveEnd, TypeChecker } from './type-checker.ts';

let checker: TypeChecker;
afterEach(() => checker.close());

const SCOPE = 'type Endpoint = (scope: never) => unknown;';
const source = (text: string) => ({ source: text, scope: 'full', scopeTypes: SCOPE }) as const;

/** Is checked for minutes. */
const BOMB = `
  type Zeros<N extends number, R extends 0[] = []> = R['length'] extends N ? R : Zeros<N, [...R, 0]>;
  type Keys = keyof Zeros<900>;
  type Sums<X> = { [A in Keys]: { [B in Keys]: [A, B, X] } };
  declare const sums: { [A in Keys]: Sums<A> };
  const same: { [A in Keys]: Sums<[A]> } = sums;
  export default () => same;`;

it('ends a check that takes too long, and goes on with a new compiler', async () => {
  checker = new TypeChecker(1_500);
  await expect(checker.check(source(BOMB))).rejects.toThrow(CheckTimeout);
  const next = await checker.check(source('export default () => 1;'));
  expect(next.errors).toEqual([]);
});

it('tells at once that its compiler has ended, and goes on with a new one', async () => {
  checker = new TypeChecker(600_000);
  const refusal = checker.check(source(BOMB)).catch((error: unknown) => error);
  // The question is put twice.
  const first = await compilerBut(undefined);
  process.kill(first, 'SIGKILL');
  process.kill(await compilerBut(first), 'SIGKILL');
  expect(await refusal).toMatchObject({ message: 'the compiler has ended' });
  expect(checker.isFailing).toBe(true);
  const next = await checker.check(source('export default () => 1;'));
  expect([next.errors, checker.isFailing]).toEqual([[], false]);
});

it('is closed while it checks, and waits for no answer', async () => {
  checker = new TypeChecker(600_000);
  const questions = [BOMB, 'export default () => 1;'].map((text) => checker.check(source(text)));
  const refused = Promise.allSettled(questions);
  await compilerBut(undefined);
  await checker.close();
  const reason = { message: 'the type checker was closed' };
  expect(await refused).toMatchObject([{ reason }, { reason }]);
});

it('takes what is written to a compiler that has ended for written', async () => {
  const gone = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
  gone.on('error', () => {});
  surviveEnd(gone);
  const write: (text: string) => Promise<unknown> = promisify(gone.write.bind(gone));
  await write('to a pipe that nobody reads');
  expect(gone.destroyed).toBe(true);
  await write('to a stream that is closed');
});

/** The process of a compiler of this process, once there is another than that. */
async function compilerBut(known: number | undefined): Promise<number> {
  const find = (): number | undefined =>
    readdirSync('/proc/self/task')
      .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').match(/\d+/g))
      .map(Number)
      .find((pid) => pid > 0 && pid !== known && isCompiler(pid));
  await expect.poll(find).toBeDefined();
  return find() ?? 0;
}

function isCompiler(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--api');
}

it('answers checks that wait for one another, each with its own', async () => {
  checker = new TypeChecker();
  const names = ['first', 'second', 'third'];
  const checked = await Promise.all(names.map((name) => checker.check(source(`${name};`))));
  expect(checked.map(({ errors }) => errors[0]?.text)).toEqual(
    names.map((name) => `Cannot find name '${name}'.`),
  );
});

it('leaves no compiler behind when its process is killed in the middle of a check', async () => {
  checker = new TypeChecker();
  const script = `
    const { TypeChecker } = await import(${JSON.stringify(import.meta.resolve('./type-checker.ts'))});
    const checker = new TypeChecker();
    const check = (source) =>
      checker.check({ source, scope: 'full', scopeTypes: ${JSON.stringify(SCOPE)} });
    await check('export default () => 1;');
    void check('export default () => 2;');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1);`;
  const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.resume();
  // The compiler has the same stderr, which is open as long as it lives.
  const [code, signal] = await once(child, 'close');
  expect([code, signal]).toEqual([null, 'SIGKILL']);
});
