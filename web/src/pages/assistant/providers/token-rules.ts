import { formatCount } from '../../../ui/format.ts';

/** What an input of a number of tokens takes. */
export function tokensUpTo(max: number) {
  return {
    valueAsNumber: true as const,
    validate: (value: number) =>
      (Number.isInteger(value) && value >= 1 && value <= max) ||
      `Enter a whole number from 1 to ${formatCount(max)}.`,
  };
}
