import { SCRUB_ENTRIES_AT_A_TIME } from '#base/limits.ts';
import { DATABASES } from '../databases.ts';
import type { HoldingReader } from '../snapshot-reader.ts';

export interface StateScrub {
  readonly reader: HoldingReader;
  /** Called between two portions, while no transaction is held. When it rejects, the scrub ends. */
  readonly rest: () => Promise<void>;
  /** Called for each damaged entry. `place` names the database and the key. */
  readonly onDamage: (place: string) => void;
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Reads each entry of the state of a running workspace, and verifies its check or its seal. It
 * reads in portions, each at the newest commit of that moment, so that it never holds pages for
 * long. Resolves with the number of entries.
 */
export async function scrubState({
  reader,
  rest,
  onDamage,
  onProgress,
}: StateScrub): Promise<number> {
  let entries = 0;
  for (const { number, name } of DATABASES) {
    let start: Uint8Array | undefined = new Uint8Array(0);
    while (start !== undefined) {
      let next: Uint8Array | undefined;
      let seen = 0;
      {
        using held = reader.hold();
        held.inspect(number, start, (key, isDamaged) => {
          if (seen === SCRUB_ENTRIES_AT_A_TIME) {
            next = Uint8Array.from(key);
            return false;
          }
          seen++;
          if (isDamaged) onDamage(`${name}, key ${Buffer.from(key).toString('hex')}`);
          return true;
        });
        entries += seen;
        const total = DATABASES.reduce((sum, one) => sum + held.count(one.number), 0);
        onProgress(Math.min(entries, total), total);
      }
      start = next;
      await rest();
    }
  }
  return entries;
}
