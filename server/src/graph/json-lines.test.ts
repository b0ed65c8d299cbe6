import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonWeight, LineList } from './json-lines.ts';

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

describe('lines that are parsed together', () => {
  /** As they are one by one; undefined when one of them is not a value. */
  function oneByOne(lines: readonly string[]): unknown[] | undefined {
    try {
      return lines.map((line): unknown => JSON.parse(line));
    } catch {
      return undefined;
    }
  }

  function together(list: LineList, lines: readonly string[]): readonly unknown[] | undefined {
    const weighed = list.weigh(Buffer.from(lines.map((line) => `${line}\n`).join('')));
    return weighed === undefined ? undefined : list.parse(weighed);
  }

  const value = fc.jsonValue().map((one) => JSON.stringify(one));
  // Such that several of them may be one value, or one of them several.
  const part = fc.stringMatching(/^[[\]{}",:\\ 1a]{0,6}$/);

  it('have the values and the weight that they have one by one', () => {
    const list = new LineList();
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 8 }), (lines) => {
        expect(together(list, lines)).toEqual(oneByOne(lines));
        const weights = lines.map((line) => jsonWeight(Buffer.from(line)));
        const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
        expect(list.weigh(Buffer.from(`${lines.join('\n')}\n`))).toEqual({
          lines: lines.length,
          bytes: sum(lines.map((line) => Buffer.byteLength(line))),
          values: sum(weights.map(({ values }) => values)),
          parsedBytes: sum(weights.map(({ parsedBytes }) => parsedBytes)),
        });
      }),
    );
  });

  it('are left alone where one of them is not one value', () => {
    const list = new LineList();
    fc.assert(
      fc.property(fc.array(fc.oneof(value, part), { minLength: 1, maxLength: 6 }), (lines) => {
        const found = together(list, lines);
        if (found !== undefined) expect(found).toEqual(oneByOne(lines));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['["a', 'b"]'],
    ['[1', '2]'],
    ['1,2', ''],
    ['"a", "b"', ' '],
    ['1,2', '[3', '4]'],
    ['{"a":1}', '', '{"a":2}'],
    ['{"a":[1}', '{"a":1]}'],
    ['1]', '[2'],
    ['"a\\', '"'],
  ])('are left alone: %j, %j', (...lines) => {
    expect(together(new LineList(), lines)).toBeUndefined();
  });

  it('are left alone where they are not UTF-8', () => {
    expect(new LineList().weigh(Buffer.from([0x22, 0xff, 0x22, 0x0a]))).toBeUndefined();
  });
});
