import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markdownBlocks } from './markdown-blocks.ts';

test('paragraphs, headings, lists and code are told apart', () => {
  const text = [
    '# Ships #',
    'Two of them',
    'sail [1].',
    '',
    '1. **Dune**',
    '   is long',
    '',
    '2. Ark',
    '- loose',
    '```ts',
    '- no list',
    '',
    '```',
    'End',
  ].join('\n');
  expect(markdownBlocks(text)).toEqual([
    { kind: 'heading', lines: ['Ships'] },
    { kind: 'paragraph', lines: ['Two of them', 'sail [1].'] },
    { kind: 'list', isOrdered: true, start: 1, items: ['**Dune** is long', 'Ark'] },
    { kind: 'list', isOrdered: false, start: 1, items: ['loose'] },
    { kind: 'code', lines: ['- no list', ''] },
    { kind: 'paragraph', lines: ['End'] },
  ]);
});

test('code that has not ended yet is code', () => {
  expect(markdownBlocks('~~~\nlet a')).toEqual([{ kind: 'code', lines: ['let a'] }]);
});

test('no word is lost, whatever a model writes', () => {
  const line = fc.constantFrom('# word', 'word', '- word', '3. word', '   word', '', '> word');
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const text = lines.join('\n');
      const kept = markdownBlocks(text).flatMap((block) =>
        block.kind === 'list' ? block.items : block.lines,
      );
      expect(kept.join(' ').match(/word/g)?.length).toBe(text.match(/word/g)?.length);
    }),
  );
});
