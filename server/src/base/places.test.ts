import { expect, test } from 'vitest';
import { Places } from './places.ts';

test('places are counted for each owner until they are given back', () => {
  const places = new Places();
  const first = places.take('ann');
  {
    using _second = places.take('ann');
    expect([places.of('ann'), places.of('bob')]).toEqual([2, 0]);
  }
  expect(places.of('ann')).toBe(1);
  first[Symbol.dispose]();
  expect(places.of('ann')).toBe(0);
});
