import { expect, it } from 'vitest';
import {
  ENDPOINT_SECRET_TEMPLATE_CHARACTERS_MAX,
  ENDPOINT_SECRETS_PER_REQUEST_MAX,
} from '#base/endpoint-limits.ts';
import { namedSecret, withSecrets } from './secret-headers.ts';

const named = (secret: string, template = '{}') => ({ secret, template });
const take = (name: string) => `value of ${name}`;

it('puts each value in its place, and says which went in', () => {
  const headers = { a: named('A', 'x {} y'), b: 'as it is', c: named('A'), d: named('B') };
  expect(withSecrets(headers, take)).toEqual({
    headers: { a: 'x value of A y', b: 'as it is', c: 'value of A', d: 'value of B' },
    sent: [
      { name: 'A', value: 'value of A' },
      { name: 'B', value: 'value of B' },
    ],
  });
  // What a replacement of texts would take for a pattern.
  expect(withSecrets({ a: named('A') }, () => "$& $1 $'").headers).toEqual({ a: "$& $1 $'" });
});

it.each([
  [ENDPOINT_SECRETS_PER_REQUEST_MAX, undefined],
  [ENDPOINT_SECRETS_PER_REQUEST_MAX + 1, 'invalid_request'],
])('%i secrets in a request: %s', (count, code) => {
  const names = Array.from({ length: count }, (_, i) => [`h${i}`, named(`S${i}`)] as const);
  const fill = () => withSecrets(Object.fromEntries(names), take);
  if (code === undefined) expect(fill().sent).toHaveLength(count);
  else expect(fill).toThrow(expect.objectContaining({ code }));
});

it.each([
  [ENDPOINT_SECRET_TEMPLATE_CHARACTERS_MAX, undefined],
  [ENDPOINT_SECRET_TEMPLATE_CHARACTERS_MAX + 1, 'invalid_request'],
])('a template of %i characters: %s', (length, code) => {
  const fill = () => withSecrets({ a: named('A', `${'x'.repeat(length - 2)}{}`) }, take);
  if (code === undefined) expect(fill().sent).toHaveLength(1);
  else expect(fill).toThrow(expect.objectContaining({ code }));
});

it('takes nothing else for a secret', () => {
  for (const value of ['text', 7, null, undefined, [], {}, { secret: 7 }]) {
    expect(namedSecret(value)).toBeUndefined();
  }
  expect(namedSecret({ secret: 'A' })).toEqual({ secret: 'A', template: '{}' });
});
