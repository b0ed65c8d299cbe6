import { setImmediate as immediate } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { TURN_MS, TURNS_GOING_PER_CALLER_MAX, TURNS_WAITING_PER_CALLER_MAX } from './limits.ts';
import { Turns } from './turns.ts';

let turns: Turns;
beforeEach(() => {
  turns = new Turns();
});

it('begins at once where nobody waits, and later when the turn has taken long enough', async () => {
  const first = turns.enter('a');
  work();
  const [isSpent, second] = [turns.isSpent, turns.enter('a')];
  expect([first, isSpent]).toEqual([undefined, true]);
  expect(second).toBeInstanceOf(Promise);
  await second;
});

it('lets callers take turns, and everything else come in between', async () => {
  const order: string[] = [];
  const go = async (caller: string, steps: number): Promise<void> => {
    await turns.enter(caller);
    for (let step = 0; step < steps; step++) {
      order.push(caller);
      work();
      await turns.next(caller);
    }
  };
  const heavy = Promise.all(Array.from({ length: 20 }, () => go('heavy', 10)));
  await immediate();
  const before = order.length;
  await go('small', 3);
  const between = order.slice(before);
  // One of the other caller for each of its own, and the one that was due.
  expect(between.filter((caller) => caller === 'heavy').length).toBeLessThanOrEqual(5);
  let others = 0;
  const seen = order.length;
  while (others < 10) {
    await immediate();
    others++;
  }
  expect(order.length - seen).toBeLessThanOrEqual(10);
  await heavy;
  expect(order.filter((caller) => caller === 'heavy')).toHaveLength(200);
});

it('has a few pieces of work of one caller going on at a time', async () => {
  let [going, most] = [0, 0];
  const go = async (): Promise<void> => {
    const turn = turns.enter('a');
    if (turn !== undefined) await turn;
    most = Math.max(most, ++going);
    for (let step = 0; step < 5; step++) {
      work();
      await turns.next('a');
    }
    going--;
  };
  await Promise.all(Array.from({ length: 30 }, go));
  // The one whose turn it is does not wait.
  expect(most).toBeLessThanOrEqual(TURNS_GOING_PER_CALLER_MAX + 1);
  expect(most).toBeGreaterThan(1);
});

it('refuses what is too much of one caller, and takes what others ask for', async () => {
  turns.enter('a');
  work();
  const waiting = Array.from({ length: TURNS_WAITING_PER_CALLER_MAX }, () => turns.enter('a'));
  expect(() => turns.enter('a')).toThrow(expect.objectContaining({ code: 'too_many_requests' }));
  await turns.enter('b');
  await Promise.all(waiting);
  await turns.enter('a');
});

it('goes on in a later turn of the loop when this one is spent', async () => {
  let isLater = false;
  setImmediate(() => (isLater = true));
  turns.enter('a');
  work();
  await turns.goOn('a');
  expect(isLater).toBe(true);
});

/** Longer than a turn. */
function work(): void {
  const until = performance.now() + TURN_MS;
  while (performance.now() < until);
}
