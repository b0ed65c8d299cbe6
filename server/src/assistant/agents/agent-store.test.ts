import fc from 'fast-check';
import { expect, it } from 'vitest';
import { variablesIn } from '@trellis/contract/agent-variables.ts';
import { filledIn } from './agent-store.ts';

it.each([
  ['Speak ${TONGUE}.', { TONGUE: 'Dutch' }, 'Speak Dutch.'],
  ['Speak ${TONGUE:-English}.', {}, 'Speak English.'],
  ['Speak ${TONGUE:-English}.', { TONGUE: '' }, 'Speak .'],
  ['Speak ${TONGUE}.', {}, 'Speak ${TONGUE}.'],
  ['${A:-}${B}', { B: '$&${A:-x}' }, '$&${A:-x}'],
  ['${toString} $TONGUE {TONGUE} ${1}', { TONGUE: 'x' }, '${toString} $TONGUE {TONGUE} ${1}'],
])('%s with %o is %s', (instructions, values, filled) => {
  expect(filledIn(instructions, values)).toBe(filled);
});

it('every variable is known, and every one that has a value is gone', () => {
  const name = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/);
  fc.assert(
    fc.property(fc.uniqueArray(name), (names) => {
      const instructions = names.map((one) => `before \${${one}:-usual} after`).join(' ');
      expect(variablesIn(instructions)).toEqual(names);
      const values = Object.fromEntries(names.map((one) => [one, 'value']));
      expect(filledIn(instructions, values)).toBe(names.map(() => 'before value after').join(' '));
    }),
  );
});
