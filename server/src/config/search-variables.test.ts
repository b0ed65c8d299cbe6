import { expect, it } from 'vitest';
import { readConfig } from './read-config.ts';

it.each([
  ['MSK_SEARCH_MEMORY_MB', '1', true],
  ['MSK_SEARCH_MEMORY_MB', '0', false],
  ['MSK_SEARCH_MEMORY_MB', '1.5', false],
  ['MSK_SEARCH_BUILD_THREADS', '1', true],
  ['MSK_SEARCH_BUILD_THREADS', '64', true],
  ['MSK_SEARCH_BUILD_THREADS', '65', false],
  ['MSK_SEARCH_BUILD_THREADS', '0', false],
  ['MSK_SEARCH_BUILD_THREADS', 'all', false],
])('%s=%s is accepted: %s', (name, value, isAccepted) => {
  const read = (): unknown => {
    try {
      return readConfig({ [name]: value }).warnings;
    } catch (error) {
      return String(error);
    }
  };
  const refusal = expect.stringContaining(`${name} is "${value}", which is no number of`);
  expect(read()).toEqual(isAccepted ? [] : refusal);
});
