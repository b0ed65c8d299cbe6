import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonWeight } from './ndjson-ingest.ts';

const weight = (text: string) => jsonWeight(Buffer.from(text));

it.each([
  ['1', 1],
  ['"a,b[{"', 1],
  ['"\\"[,"', 1],
  ['"open, [', 1],
  ['[]', 2],
  ['[1,2,3]', 4],
  ['{"a":[1,"x,y"],"b":{}}', 6],
])('%s counts as %i values', (text, values) => {
  expect(weight(text).values).toBe(values);
});

it('counts each list, object and value at least once', () => {
  const count = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Object.values(value).reduce<number>((sum, one) => sum + count(one), 1)
      : 1;
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(weight(JSON.stringify(value)).values).toBeGreaterThanOrEqual(count(value));
      return true;
    }),
  );
});
