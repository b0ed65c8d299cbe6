import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SECRET_VALUE_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { masking } from './secret-masks.ts';

const KEY = 'sk-live/8f+"A&b=c_9z';
const mask = masking([{ name: 'CRM_KEY', value: KEY }]);

const small = (text: string) => text.replaceAll(/%../g, (hex) => hex.toLowerCase());

it.each([
  ['as it is', KEY],
  ['in JSON', JSON.stringify(KEY).slice(1, -1)],
  ['in JSON that escapes slashes', KEY.replaceAll('"', '\\"').replaceAll('/', '\\/')],
  ['in JSON that escapes what HTML has', KEY.replaceAll('"', '\\u0022').replaceAll('&', '\\u0026')],
  ['in JSON of JSON', JSON.stringify(JSON.stringify(KEY).slice(1, -1)).slice(1, -1)],
  ['in HTML', KEY.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('/', '&#x2F;')],
  ['in a path', encodeURIComponent(KEY)],
  ['in a form', new URLSearchParams({ a: KEY }).toString().slice(2)],
  ['in a path, in small letters', small(encodeURIComponent(KEY))],
  ['in a path of a path', encodeURIComponent(encodeURIComponent(KEY))],
  ['in capitals', KEY.toUpperCase()],
  ['in hexadecimal', Buffer.from(KEY).toString('hex')],
])('takes a value out %s', async (_, text) => {
  expect(await mask(`{"a": "${text}", "\\"b": 1}`)).toBe('{"a": "[secret CRM_KEY]", "\\"b": 1}');
});

/** A value as the contract takes it. */
const printable = fc
  .string({ minLength: 8, maxLength: 40, unit: 'grapheme-ascii' })
  .filter((text) => text.trim() === text);
const around = fc.string({ maxLength: 5 });

it('takes any value out of base64 of any text that holds it', async () => {
  await fc.assert(
    fc.asyncProperty(printable, around, around, fc.boolean(), async (value, before, after, url) => {
      const bytes = Buffer.from(`${before}${value}${after}`);
      const masked = await masking([{ name: 'A', value }])(
        bytes.toString(url ? 'base64url' : 'base64'),
      );
      expect(masked).toContain('[secret A]');
      // Of the bytes at the ends, which share a character with others, a part is left.
      const [head = '', tail = ''] = masked.split('[secret A]');
      expect(head.length).toBeLessThanOrEqual(Math.ceil((Buffer.byteLength(before) * 8) / 6));
      expect(tail.length).toBeLessThanOrEqual(Math.ceil((Buffer.byteLength(after) * 8) / 6) + 3);
    }),
  );
});

it.each([
  ['\n', (text: string) => text],
  ['\r\n', (text: string) => JSON.stringify(text).slice(1, -1)],
])('takes a value out of what is broken into lines by %j', async (end, within) => {
  const lines = (text: string, separator: string) =>
    within(text.match(/.{1,7}/gs)?.join(separator) ?? '');
  const encoded = Buffer.from(KEY).toString('base64');
  for (const text of [lines(encoded, end), lines(KEY, `=${end}`)]) {
    const masked = await mask(`a${within(end)}${text}${within(end)}b`);
    expect(masked.split('[secret CRM_KEY]')).toHaveLength(2);
    expect(masked).toMatch(/^a.{0,5}\[secret CRM_KEY\].{0,8}b$/s);
  }
});

it.each(['!\\     !', '\\\\server\\key', '"%41%42%43-and-more', 'ends-with\\', '\\begins-with'])(
  'takes %s out of JSON, which stays JSON',
  async (value) => {
    const masked = masking([{ name: 'A', value }]);
    for (const plain of [value, `"${value}"`, `\\${value}\\`]) {
      const once: unknown = JSON.parse(await masked(JSON.stringify(plain)));
      expect(once).toContain('[secret A]');
      const twice = JSON.parse(await masked(JSON.stringify(JSON.stringify(plain))));
      expect(JSON.parse(String(twice))).toContain('[secret A]');
    }
  },
);

it('takes any value out of JSON, forms and headers, which stay what they are', async () => {
  await fc.assert(
    fc.asyncProperty(printable, around, around, async (value, before, after) => {
      const masked = masking([{ name: 'A', value }]);
      const plain = before + value + after;
      expect(await masked(plain)).not.toContain(value);
      const json: unknown = JSON.parse(await masked(JSON.stringify([plain])));
      expect(json).toEqual([expect.stringContaining('[secret A]')]);
      const nested = await masked(JSON.stringify({ a: JSON.stringify({ b: plain }) }));
      expect(JSON.parse(JSON.parse(nested).a).b).toContain('[secret A]');
      const form = await masked(new URLSearchParams({ a: plain.toWellFormed() }).toString());
      expect(form).toContain('[secret A]');
    }),
  );
});

it('takes out what a value of the scheme Basic encodes', async () => {
  const value = Buffer.from('robot:correct horse').toString('base64');
  const masked = masking([{ name: 'A', value }]);
  expect(await masked(`Basic ${value}`)).toBe('Basic [secret A]');
  expect(await masked('I know robot:correct horse!')).toBe('I know [secret A]!');
  expect(await masked('The password is correct horse.')).toBe('The password is [secret A].');
  expect(await masked('robot')).toBe('robot');
});

it('takes out several, and leaves everything else', async () => {
  const masked = masking([
    { name: 'A', value: 'first-of-two' },
    { name: 'B', value: 'first-of-two-more' },
  ]);
  expect(await masked('first-of-tw, first-of-two.')).toBe('first-of-tw, [secret A].');
  expect(await masked('first-of-two-more')).not.toContain('first-of-two');
  expect(await masked('a "b" \\u0063 %20 &amp;')).toBe('a "b" \\u0063 %20 &amp;');
});

it('takes the longest value out of a text of many slices, wherever it stands', async () => {
  const characters = [...'abcdefghijklmnopqrstuvwxyz0123456789/+"&%\\'];
  const value = Array.from({ length: SECRET_VALUE_CHARACTERS_MAX }, (_, i) => {
    return characters[(i * i + 7 * i) % characters.length];
  }).join('');
  const masked = masking([{ name: 'A', value }]);
  const escaped = Array.from(value, (one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('');
  const filling = 'x'.repeat(440_000);
  expect(await masked([value, escaped, value, escaped].join(filling))).toBe(
    ['[secret A]', '[secret A]', '[secret A]', '[secret A]'].join(filling),
  );
});
