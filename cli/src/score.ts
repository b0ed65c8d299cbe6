import { WrongUsage } from './failure.ts';

/** What an option says, which is a number from 0 to 1. */
export function scoreOf(option: string, text: string): number {
  const score = Number(text);
  if (/^\d(\.\d+)?$/.test(text) && score <= 1) return score;
  throw new WrongUsage(`${option} ${text} is not a score from 0 to 1`);
}
