import { describe, expect, it } from 'vitest';
import { FORM_FIELDS_MAX } from '#base/limits.ts';
import { formFields } from './body-parsers.ts';

const fields = (count: number) => Array.from({ length: count }, (_, i) => `f${i}=${i}`).join('&');

describe('a form', () => {
  it('is read by name, with all values of a name that comes more often', () => {
    expect(formFields('a=1&b=%20x+y&a=2&a=&c')).toEqual({ a: ['1', '2', ''], b: ' x y', c: '' });
  });

  it('may be empty', () => {
    expect(formFields('')).toEqual({});
  });

  it('sets no prototype', () => {
    const form = formFields('__proto__=x');
    expect(Object.getPrototypeOf(form)).toBe(Object.prototype);
    expect(Object.keys(form)).toEqual(['__proto__']);
  });

  it('has fields up to the limit, and not one more', () => {
    for (const count of [FORM_FIELDS_MAX - 1, FORM_FIELDS_MAX]) {
      expect(Object.keys(formFields(fields(count)))).toHaveLength(count);
    }
    expect(() => formFields(fields(FORM_FIELDS_MAX + 1))).toThrow(/more than 20 fields/);
  });
});
