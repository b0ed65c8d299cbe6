import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { CheckTimeout, TypeChecker } from './type-checker.ts';

let checker: TypeChecker;
afterEach(() => checker.close());

const SCOPE = 'type Endpoint = (scope: never) => unknown;';
const source = (text: string) => ({ source: text, scope: 'full', scopeTypes: SCOPE }) as const;

it('ends a check that takes too long, and goes on with a new compiler', async () => {
  checker = new TypeChecker(1_500);
  const bomb = `
    type Zeros<N extends number, R extends 0[] = []> = R['length'] extends N ? R : Zeros<N, [...R, 0]>;
    type Keys = keyof Zeros<900>;
    type Sums<X> = { [A in Keys]: { [B in Keys]: [A, B, X] } };
    declare const sums: { [A in Keys]: Sums<A> };
    const same: { [A in Keys]: Sums<[A]> } = sums;
    export default () => same;`;
  await expect(checker.check(source(bomb))).rejects.toThrow(CheckTimeout);
  const next = await checker.check(source('export default () => 1;'));
  expect(next.errors).toEqual([]);
});

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
