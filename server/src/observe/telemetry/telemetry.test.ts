import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatTraceparent, parseTraceparent } from './telemetry.ts';

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''))
    .filter((text) => /[^0]/.test(text));

it('what is written is read again', () => {
  fc.assert(
    fc.property(hex(32), hex(16), fc.constantFrom(0, 1), (traceId, spanId, traceFlags) => {
      const span = { traceId, spanId, traceFlags };
      expect(parseTraceparent(formatTraceparent(span))).toEqual({ ...span, isRemote: true });
    }),
  );
});

it.each([
  undefined,
  '',
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331',
  '00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01',
  '00-00000000000000000000000000000000-b7ad6b7169203331-01',
  '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
  'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more',
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\nx: y',
])('%j is none', (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});

it('a version to come may say more', () => {
  const text = '01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03-more';
  expect(parseTraceparent(text)).toMatchObject({ spanId: 'b7ad6b7169203331', traceFlags: 1 });
});
