import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonInTurns } from './route.ts';

const value = fc.jsonValue({ maxDepth: 3 });
const long = fc.array(fc.oneof(value, fc.constant(undefined)), { minLength: 30, maxLength: 80 });
const bodies = fc.oneof(
  value,
  long,
  fc.record({ items: long, total: fc.nat(), gone: fc.constant(undefined) }),
  fc.dictionary(fc.string(), fc.oneof(value, fc.constant(undefined)), { minKeys: 30, maxKeys: 50 }),
);

it('is what JSON.stringify makes of it', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      expect(await jsonInTurns(body, 'a')).toBe(JSON.stringify(body));
    }),
  );
});

it('lets other work come in between where a list is long', async () => {
  const body = { items: Array.from({ length: 20_000 }, (_, i) => ({ i, text: 'x'.repeat(100) })) };
  let others = 0;
  let isOver = false;
  const count = (): void => {
    others++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect(await jsonInTurns(body, 'a')).toBe(JSON.stringify(body));
  isOver = true;
  expect(others).toBeGreaterThan(2);
});
