import { expect, it } from 'vitest';
import { WriteTurns } from './write-turns.ts';

const BOTH = { points: ['n1', 'n2'], ranges: [] };

it('of two calls that have each a turn where the other reads, the first goes on', async () => {
  const turns = new WriteTurns();
  const [first, second] = [{}, {}];
  await turns.enter('n1', first);
  await turns.enter('n2', second);
  expect(turns.takenPlace(BOTH, first)).toBeUndefined();
  expect(turns.takenPlace(BOTH, second)).toBe('n1');
  const waiting = turns.enter('n1', second);
  turns.leave(first);
  await waiting;
  expect(turns.takenPlace(BOTH, second)).toBeUndefined();
});

it('keeps those without a turn from all places, also from a key in a range', async () => {
  const turns = new WriteTurns();
  await turns.enter('t5', {});
  expect(turns.takenPlace({ points: [], ranges: [['t', '4', '6']] }, {})).toBe('t5');
  expect(turns.takenPlace({ points: [], ranges: [['t', '6', '7']] }, {})).toBeUndefined();
});

it('ends a turn that others have waited for long enough, and gives it to the next', async () => {
  const turns = new WriteTurns(1);
  const [slow, next, last] = [{}, {}, {}];
  await turns.enter('n1', slow);
  const waiting = [turns.enter('n1', next), turns.enter('n1', last)];
  await waiting[0];
  // It commits what it has: made to begin again each time, slow calls would never come to an end.
  expect(turns.takenPlace(BOTH, slow)).toBeUndefined();
  expect(turns.takenPlace(BOTH, {})).toBe('n1');
  await waiting[1];
  turns.leave(next);
  expect(turns.takenPlace(BOTH, last)).toBeUndefined();
  const again = turns.enter('n1', slow);
  expect(turns.takenPlace(BOTH, slow)).toBe('n1');
  await again;
  turns.leave(slow);
  expect(turns.takenPlace(BOTH, {})).toBeUndefined();
});
