import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assembleJson, planJson, TooManyValues } from './json-plan.ts';

const LIMITS = { pieceCharacters: 16, depthMax: 8, valuesMax: 10_000 };
const TURN = { turn: async () => {}, refuse: () => new Error('refused') };

const assembled = (text: string, limits = LIMITS) =>
  assembleJson(planJson(text, limits).plan, (piece) => JSON.parse(piece) as unknown, TURN);

describe('JSON that is cut into pieces', () => {
  it('is the same value, whatever it is and however it is spaced', async () => {
    await fc.assert(
      fc.asyncProperty(
        // Whoever parses the pieces refuses this name.
        fc
          .json({ maxDepth: 6, noUnicodeString: false })
          .filter((json) => !json.includes('__proto__')),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(undefined, 1, '\t'),
        async (json, pieceCharacters, space) => {
          const value: unknown = JSON.parse(json);
          const text = ` ${JSON.stringify(value, undefined, space)}\n`;
          const own = { ...LIMITS, pieceCharacters, depthMax: 50 };
          // As a text: what is made has its members in the same order, too.
          expect(JSON.stringify(await assembled(text, own))).toBe(JSON.stringify(value));
        },
      ),
    );
  });

  it.each([
    ['[]', []],
    ['{}', {}],
    [`["${'\\"'.repeat(20)}","\\\\",1]`, ['"'.repeat(20), '\\', 1]],
    ['{"a":{"b":[1,2,3,4,5,6,7,8,9,10,11,12]},"a":2}', { a: 2 }],
    [
      '[[1,2,3,4,5,6,7,8,9,0],1,2,[1,2,3,4,5,6,7,8,9,0]]',
      [[1, 2, 3, 4, 5, 6, 7, 8, 9, 0], 1, 2, [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]],
    ],
  ])('%s', async (text, value) => {
    expect(await assembled(text)).toEqual(value);
  });

  it('has pieces not much larger than they should be', () => {
    const text = JSON.stringify({ operations: Array.from({ length: 1_000 }, (_, i) => ({ i })) });
    const pieces: string[] = [];
    const collect = (plan: ReturnType<typeof planJson>['plan']): void => {
      if (typeof plan === 'string') return;
      for (const part of plan.parts) {
        if (typeof part === 'string') pieces.push(part);
        else collect(part.plan);
      }
    };
    collect(planJson(text, { ...LIMITS, pieceCharacters: 200 }).plan);
    expect(pieces.length).toBeGreaterThan(20);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(250);
  });

  it.each(['{"__proto__":[', '{"constructor":{"prototype":['])(
    'reaches into no prototype: %s...',
    async (start) => {
      const text = `${start}1,2,3,4,5,6,7,8,9,10]}${start.includes('p"') ? '' : '}'}`;
      const whole = start.includes('__') ? text.slice(0, text.lastIndexOf(']') + 2) : text;
      await expect(assembled(whole)).rejects.toThrow('refused');
    },
  );

  it('has values up to the limit, and not one more; and so for their depth', () => {
    const limits = { ...LIMITS, valuesMax: 5, depthMax: 3 };
    for (const text of ['[1,2,3]', '[1,2,3,4]', '{"a":1,"b":2,"c":3,"d":[]}', '[[[]]]']) {
      expect(() => planJson(text, limits)).not.toThrow();
    }
    for (const text of ['[1,2,3,4,5]', '[[],[],[],[],[]]', '[[[[]]]]', '{"a":{"b":{"c":{}}}}']) {
      expect(() => planJson(text, limits)).toThrow(TooManyValues);
    }
  });

  it('comes to an end with whatever is no JSON', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'[]{},:"\\ 1ae\n'), maxLength: 60 }),
        (text) => void planJson(text, { ...LIMITS, depthMax: 100 }),
      ),
    );
  });
});
