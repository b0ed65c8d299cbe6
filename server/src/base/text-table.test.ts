import { expect, it } from 'vitest';
import { textTable } from './text-table.ts';

it('aligns texts to the left and columns of numbers to the right', () => {
  expect(
    textTable(
      ['TYPE', 'NODES', 'NOTE'],
      [
        ['Word', 1_234, 'x'],
        ['Synset', 5, 'longer'],
      ],
    ),
  ).toBe('TYPE    NODES  NOTE\nWord    1,234  x\nSynset      5  longer\n');
  expect(textTable(['A', 'B'], [])).toBe('A  B\n');
});
