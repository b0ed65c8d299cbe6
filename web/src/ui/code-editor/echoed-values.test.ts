import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EchoedValues } from './echoed-values.ts';

it('knows what was typed, however late and with whatever left out it comes back', () => {
  const texts = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 50 });
  const comesBack = fc.array(fc.boolean(), { minLength: 50, maxLength: 50 });
  fc.assert(
    fc.property(texts, comesBack, (typed, isDrawn) => {
      const values = new EchoedValues();
      for (const text of typed) values.typed(text);
      for (const [at, text] of typed.entries())
        if (isDrawn[at] === true) expect(values.isEcho(text)).toBe(true);
    }),
  );
});

it('takes any other text for one from outside, and then again what was typed before', () => {
  const values = new EchoedValues();
  values.typed('a');
  values.typed('ab');
  expect(values.isEcho('a')).toBe(true);
  expect(values.isEcho('from outside')).toBe(false);
  expect(values.isEcho('ab')).toBe(false);
});

it('knows a text that was typed twice, with another one between', () => {
  const values = new EchoedValues();
  for (const text of ['a', 'ab', 'a']) values.typed(text);
  expect(['a', 'ab', 'a'].map((text) => values.isEcho(text))).toEqual([true, true, true]);
  expect(values.isEcho('a')).toBe(false);
});
