import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fillTemplate, parseTemplate } from './node-service.ts';

const VALUES: Readonly<Record<string, unknown>> = {
  FirstName: 'Ada',
  Age: 36,
  Roles: ['a', 'b'],
  Note: '{Age}',
  Gone: null,
};

function filled(template: string): string {
  const parsed = parseTemplate(template);
  return fillTemplate(
    parsed,
    parsed.fields.map((field) => VALUES[field]),
    1_000,
  );
}

describe('a template', () => {
  test.each([
    ['', ''],
    ['no fields', 'no fields'],
    ['{FirstName} is {Age}', 'Ada is 36'],
    ['{FirstName}{FirstName}', 'AdaAda'],
    ['{ FirstName }', 'Ada'],
    ['{Roles}', '["a","b"]'],
    ['<{Unknown}{Gone}{}>', '<>'],
    ['{{FirstName}}', '{FirstName}'],
    ['{{{FirstName}}}', '{Ada}'],
    ['what stands in a value stays: {Note}', 'what stands in a value stays: {Age}'],
  ])('%j is %j', (template, text) => {
    expect(filled(template)).toBe(text);
  });

  test.each(['{', '}', 'a {FirstName', 'FirstName} b', '{a{b}'])('%j is refused', (template) => {
    expect(() => parseTemplate(template)).toThrow('stands alone');
  });

  test('becomes no longer a text than it may', () => {
    const parsed = parseTemplate('{FirstName}{FirstName}');
    expect(fillTemplate(parsed, ['ab', 'cd'], 4)).toBe('abcd');
    expect(() => fillTemplate(parsed, ['ab', 'cde'], 4)).toThrow('would be larger');
  });

  test('of any text with its braces doubled is that text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', 'a', ' ') }), (text) => {
        expect(filled(text.replaceAll(/[{}]/g, '$&$&'))).toBe(text);
      }),
    );
  });
});
