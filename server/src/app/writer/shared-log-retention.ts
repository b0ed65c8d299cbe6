import { LOG_TRIM_INTERVAL_MS } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { CommitLog } from '#log/commit-log.ts';
import type { Followers } from '#log/followers.ts';
import { DatabaseFault } from '#log/postgres/log-database.ts';
import type { MemberRegistry } from '#log/postgres/member-registry.ts';

export interface SharedLogRetention {
  /** The log in PostgreSQL. */
  readonly authority: Pick<CommitLog, 'trim'>;
  readonly registry: Pick<MemberRegistry, 'appliedByAll'>;
  readonly followers: Followers;
}

/**
 * Removes from PostgreSQL what every member has that was seen lately and, where there are backups,
 * the newest one has as well; but for what the archive rule of the log keeps.
 */
export async function trimSharedLog(parts: SharedLogRetention): Promise<void> {
  const { authority, registry, followers } = parts;
  const applied = await registry.appliedByAll();
  if (applied === undefined) return;
  await authority.trim(Math.min(applied, followers.reachedBy('backups') ?? Infinity));
}

/** Every so often, until it is disposed. `onNote` hears of what an operator should know. */
export function keepTrimmingShared(
  parts: SharedLogRetention,
  onNote: (text: string) => void,
): AsyncDisposable {
  let running: Promise<void> | undefined;
  const trim = async (): Promise<void> => {
    try {
      await trimSharedLog(parts);
    } catch (error) {
      if (!isPassing(error)) onNote(`trimming the log in PostgreSQL: ${error}`);
    }
    running = undefined;
  };
  const trimming = setInterval(() => {
    running ??= trim();
  }, LOG_TRIM_INTERVAL_MS);
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(trimming);
      await running;
    },
  };
}

/** PostgreSQL does not answer, or another member leads: the next look tries again. */
function isPassing(error: unknown): boolean {
  if (error instanceof DatabaseFault) return true;
  return error instanceof Problem && ['no_primary', 'storage_failed'].includes(error.code);
}
