import { expect, it } from 'vitest';
import { searchBuildThreads } from './index-options.ts';

const NOTHING_SAID = { searchBuildThreads: null, searchMemoryMb: null, lowMemory: false };

it.each([
  ['one for each processor', { searchMemoryMb: 4_096 }, 4, 4],
  ['no more than 8 of them', { searchMemoryMb: 4_096 }, 64, 8],
  ['one for each 128 MiB of the budget', { searchMemoryMb: 383 }, 8, 2],
  ['one in any case', { searchMemoryMb: 1 }, 8, 1],
  ['one in low-memory mode', { lowMemory: true }, 8, 1],
  ['as many as the operator says', { searchMemoryMb: 1, searchBuildThreads: 12 }, 2, 12],
])('%s', (_, config, processors, expected) => {
  expect(searchBuildThreads({ ...NOTHING_SAID, ...config }, processors)).toBe(expected);
});
