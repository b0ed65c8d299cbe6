import { expect, it } from 'vitest';
import { ResearchQueue } from './deep-research.ts';

/** So many at a time, and what each was told last. */
function queueOf(atATime: number) {
  const limit = { running: atATime };
  const queue = new ResearchQueue(() => limit.running);
  const told = new Map<string, number>();
  const enter = (name: string) => {
    const leaving = new AbortController();
    const turn = queue.turn((before) => told.set(name, before), leaving.signal);
    return { turn, leave: () => leaving.abort(new Error(`${name} has left`)) };
  };
  return { queue, limit, told, enter };
}

it('lets in so many at a time, in their order, and says how many are before', async () => {
  const { told, enter } = queueOf(2);
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => enter(name).turn);
  expect(Object.fromEntries(told)).toEqual({ a: 0, b: 0, c: 2, d: 3 });
  (await b)?.[Symbol.dispose]();
  expect(Object.fromEntries(told)).toEqual({ a: 0, b: 0, c: 0, d: 2 });
  (await c)?.[Symbol.dispose]();
  (await a)?.[Symbol.dispose]();
  (await d)?.[Symbol.dispose]();
  expect(told.get('d')).toBe(0);
});

it('forgets those that leave while they wait', async () => {
  const { told, enter } = queueOf(1);
  const a = enter('a');
  const b = enter('b');
  const c = enter('c');
  b.leave();
  await expect(b.turn).rejects.toThrow('b has left');
  expect(told.get('c')).toBe(1);
  // Once its turn has come, leaving is its own affair.
  a.leave();
  (await a.turn)[Symbol.dispose]();
  expect(told.get('c')).toBe(0);
  await c.turn;
  const late = new AbortController();
  late.abort(new Error('too late'));
  const { queue } = queueOf(1);
  await expect(queue.turn(() => {}, late.signal)).rejects.toThrow('too late');
});

it('lets in more when more may be under way', async () => {
  const { queue, limit, told, enter } = queueOf(1);
  const turns = ['a', 'b', 'c'].map((name) => enter(name).turn);
  limit.running = 3;
  queue.advance();
  expect([...told.values()]).toEqual([0, 0, 0]);
  await Promise.all(turns);
});
