import { expect, it } from 'vitest';
import { hasPlain, looksLikeRefusal, plainText } from './plain-text.ts';

it.each([
  ['**Oaks** grow [1] for centuries.', 'oaks grow for centuries'],
  ['It has 4,711 nodes, or 4.711 or 4 711.', 'it has 4711 nodes or 4711 or 4711'],
  ['3.5 and 1,23', '3 5 and 1 23'],
  ['Ｆｕｌｌ ﬁne Straße', 'full fine straße'],
  ['', ''],
])('%s is compared as %s', (text, plain) => {
  expect(plainText(text)).toBe(plain);
});

it.each([
  ['Oaks grow for centuries.', 'grow for centuries', true],
  ['Oaks grow for centuries.', 'row for', false],
  ['It pays 14711.', '4711', false],
  ['It pays 4,711.', '4711', true],
  ['首都は東京です。', '東京', true],
  ['anything', '', false],
])('%s has %s: %s', (text, part, expected) => {
  expect(hasPlain(plainText(text), plainText(part))).toBe(expected);
});

it.each([
  ['I could not find anything about that.', true],
  ["I can't tell you that.", true],
  ['There is no information on the salary of Bob.', true],
  ['I have found nothing.', true],
  ['Dazu habe ich nichts gefunden.', true],
  ['Es liegen keine Informationen vor.', true],
  ['Je ne sais pas.', true],
  ['No tengo acceso a esos datos.', true],
  ['Oaks grow for centuries.', false],
  ['Bob earns 4711.', false],
  ['Eichen wachsen jahrhundertelang.', false],
])('%s is a refusal: %s', (text, expected) => {
  expect(looksLikeRefusal(plainText(text))).toBe(expected);
});
