import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toolNameOf } from './tool-catalog.ts';

/** What all providers of models take. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

it.each([
  ['lookup', 'lookup'],
  ['words/lookup', 'words__lookup'],
  ['system/search', 'system__search'],
  ['look_up-2', 'look_up-2'],
])('%s is offered as %s', (endpoint, name) => {
  expect(toolNameOf(endpoint)).toBe(name);
});

it.each([
  'words__lookup',
  'words.lookup',
  'a_/b',
  'a'.repeat(65),
  `${'a'.repeat(40)}/${'b'.repeat(40)}`,
])('%s, which would be ambiguous or refused, ends with a hash', (endpoint) => {
  expect(toolNameOf(endpoint)).toMatch(/_[0-9a-f]{10}$/);
});

it('no two endpoints have one name, and every provider takes it', () => {
  const segment = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,30}$/);
  const endpoint = fc
    .array(segment, { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('/'));
  // Few characters make many that are alike.
  const alike = fc.stringMatching(/^[ab](?:[ab_./]{0,6}[ab])?$/);
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(endpoint, alike), { maxLength: 50 }), (endpoints) => {
      const names = endpoints.map(toolNameOf);
      for (const name of names) expect(name).toMatch(TOOL_NAME);
      expect(new Set(names).size).toBe(endpoints.length);
    }),
  );
});
