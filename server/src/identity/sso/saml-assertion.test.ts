import { SAML_ATTRIBUTES_MAX, SAML_ELEMENTS_MAX } from '#base/limits.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPlainXml } from './saml-assertion.ts';

test('plain XML is told by its root', () => {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
    <s:a xmlns:s = "urn:s" b='x"y>' ><c d="&lt;&#xE9;"/>&amp;<c>é > ' "</c ></s:a>\n`;
  const root = readPlainXml(xml);
  expect(root?.name).toBe('s:a');
  expect([...(root?.attributes ?? [])]).toEqual([
    ['xmlns:s', 'urn:s'],
    ['b', 'x"y>'],
  ]);
});

test.each([
  '',
  'x',
  '<a>',
  '<a></b>',
  '</a>',
  '<a/><a/>',
  '<a/>x',
  'x<a/>',
  '<a b/>',
  '<a b=c/>',
  '<a b="<"/>',
  '<a b="1"c="2"/>',
  '<a b="1" b="2"/>',
  '<a b="/>',
  '< a/>',
  '<a:b:c/>',
  '<a><!-- --></a>',
  '<a><![CDATA[x]]></a>',
  '<!DOCTYPE a><a/>',
  '<a><?b c?></a>',
  '<?b c?><a/>',
  '<a>&b;</a>',
  '<a b="&"/>',
  '<a/><?xml version="1.0"?>',
])('%j is not', (xml) => expect(readPlainXml(xml)).toBeUndefined());

describe('is not larger than it may be', () => {
  const withElements = (count: number): string => `<a>${'<b/>'.repeat(count - 1)}</a>`;
  const withAttributes = (count: number): string =>
    `<a ${Array.from({ length: count }, (_, i) => `b${i}=""`).join(' ')}/>`;

  test.each([
    ['elements', withElements, SAML_ELEMENTS_MAX],
    ['attributes', withAttributes, SAML_ATTRIBUTES_MAX],
  ])('%s', (_what, build, max) => {
    expect(readPlainXml(build(max))).toBeDefined();
    expect(readPlainXml(build(max + 1))).toBeUndefined();
  });
});

test('whatever stands inside, the root is what it was, or there is none', () => {
  const awkward = fc.string({ unit: fc.constantFrom('<', '>', '/', 'a', ' ', '=', '"', '&', '?') });
  fc.assert(
    fc.property(awkward, (text) => {
      const root = readPlainXml(`<r>${text}</r>`);
      if (root !== undefined) expect(root.name).toBe('r');
    }),
    { numRuns: 2_000 },
  );
});
