import { setTimeout } from 'node:timers/promises';
import { RACE_TRIES_MAX, RACE_WAIT_MS } from './limits.ts';
import { Problem } from './problem.ts';

/**
 * Tries again what `version_conflict` refuses, as somebody else changed the same meanwhile. `check`
 * comes before each try; what it throws is final.
 */
export async function afterRace<Result>(
  attempt: () => Promise<Result>,
  check: () => void = () => undefined,
): Promise<Result> {
  for (let tried = 1; ; tried++) {
    check();
    try {
      return await attempt();
    } catch (error) {
      const isRaced = error instanceof Problem && error.code === 'version_conflict';
      if (!isRaced || tried >= RACE_TRIES_MAX) throw error;
      // What it raced with shows once the log has it.
      await setTimeout(RACE_WAIT_MS * 2 ** (tried - 1));
    }
  }
}

/**
 * Throws `version_conflict` unless a caller has seen the current version, 0 for what is not there.
 * Who names none replaces whatever there is. `what` begins the message.
 */
export function checkSeen(seen: number | undefined, current: number, what: string): void {
  if (seen === undefined || seen === current) return;
  throw new Problem('version_conflict', `${what} is at version ${current}, not ${seen}.`, {
    hint: 'Read it again, and send your change of it with its version.',
    details: { seenVersion: seen, currentVersion: current },
  });
}
