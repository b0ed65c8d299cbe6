import fc from 'fast-check';
import { expect, test } from 'vitest';
import { returnPathOf } from './sso-service.ts';

const ENTITY_ID = 'https://trellis.example/api/saml/metadata';
const ENTRY_POINT = 'https://idp.example/sso';

function returnTo(destination: string): string | undefined {
  try {
    return returnPathOf({ issuer: ENTITY_ID, destination }, ENTRY_POINT, ENTITY_ID);
  } catch {
    return undefined;
  }
}

test('every path that is taken stays here, however a browser reads it', () => {
  const awkward = fc.string({
    unit: fc.constantFrom('/', '\\', '\t', '\n', '@', ':', '.', '?', '#', '%', 'e', '\u2028'),
  });
  fc.assert(
    fc.property(fc.oneof(awkward, fc.string({ unit: 'binary' }), fc.webUrl()), (text) => {
      for (const destination of [text, `/${text}`]) {
        const taken = returnTo(destination);
        if (taken === undefined) continue;
        expect(new URL(taken, 'https://trellis.example').origin).toBe('https://trellis.example');
      }
    }),
    { numRuns: 5_000 },
  );
});

test('the entry point of the provider leads home', () => {
  expect(returnTo(ENTRY_POINT)).toBe('/');
  expect(returnTo('/#/manage/users?x=1')).toBe('/#/manage/users?x=1');
  expect(returnTo('https://idp.example/other')).toBeUndefined();
});
