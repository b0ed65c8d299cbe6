import { expect, it } from 'vitest';
import type { Problem } from '#base/problem.ts';
import { problemOf } from '#graph/testing/test-graph.ts';
import type { Caller } from './caller.ts';
import { RunningCallers } from './running-callers.ts';
import { ADMINISTRATOR } from './testing/administrator.ts';

const RIGHTS = { isAdmin: false, isReadOnlyAdmin: false, isGuest: false, roles: [] };
const BOTH = ['CanManageUsers', 'CanManageSynonyms'];

function begun(before: Partial<Caller>) {
  const caller: Caller = { ...ADMINISTRATOR, ...RIGHTS, ...before };
  let now = caller;
  const running = new RunningCallers({ again: () => now });
  const ends: Problem[] = [];
  const work = { end: (problem: Problem) => void ends.push(problem) };
  running.add(caller, work);
  return {
    running,
    caller,
    ends,
    remove: () => running.remove(caller, work),
    become: (change: Partial<Caller>) => (now = { ...caller, ...change }),
  };
}

it.each<readonly [Partial<Caller>, Partial<Caller>, ends: boolean]>([
  [{}, {}, false],
  [{}, { userName: 'eve' }, false],
  [{ isAdmin: true }, { isAdmin: false }, true],
  [{ isAdmin: true }, { isAdmin: false, isReadOnlyAdmin: true }, true],
  [{ isAdmin: true }, { isReadOnlyAdmin: true }, true],
  [{ isReadOnlyAdmin: true }, { isReadOnlyAdmin: false }, true],
  [{ isReadOnlyAdmin: true }, { isAdmin: true, isReadOnlyAdmin: false }, false],
  [{}, { isAdmin: true, roles: BOTH }, false],
  [{}, { isGuest: true }, true],
  [{ isGuest: true }, { isGuest: false }, false],
  [{ roles: BOTH }, { roles: BOTH.slice(1) }, true],
])('of %j who becomes %j, work ends: %s', async (before, after, isOver) => {
  const { running, caller, ends, become } = begun(before);
  running.look();
  expect(ends).toEqual([]);
  become(after);
  running.look();
  expect(ends.map(({ code }) => code)).toEqual(isOver ? ['forbidden'] : []);
  if (isOver) expect((await problemOf(() => running.check(caller))).code).toBe('forbidden');
  else running.check(caller);
});

it('is not told once it is over, nor once more than it lasts', () => {
  const { running, caller, ends, become, remove } = begun({ isAdmin: true });
  const watched = running.watch(caller);
  become({ isAdmin: false });
  remove();
  running.look();
  expect(ends).toEqual([]);
  expect(watched.signal.reason).toMatchObject({ code: 'forbidden' });
  watched[Symbol.dispose]();
  const later = running.watch(caller);
  later[Symbol.dispose]();
  running.look();
  expect(later.signal.aborted).toBe(false);
});
