import { Problem } from '#base/problem.ts';
import type { CodeHistory, CodeItem } from '../history/code-history.ts';
import type { CodeContent } from '../history/content-diff.ts';
import type { MigrationSettings } from './migration.ts';

/** A migration as the history of code knows it. */
export function migrationItem(name: string): CodeItem<'migration'> {
  return { kind: 'migration', name };
}

/** How it ran is no part of it. */
export function contentOf({ code, runOnStartup }: MigrationSettings): CodeContent {
  return { code, settings: { runOnStartup } };
}

/** Throws `version_conflict` when there is a newer version than the one that was seen. */
export function checkSeen(
  item: CodeItem<'migration'>,
  seen: number | undefined,
  history: CodeHistory,
): void {
  const current = history.lastVersion(item);
  if (seen === undefined || seen === current) return;
  const message = `The migration "${item.name}" is at version ${current}, not ${seen}`;
  throw new Problem('version_conflict', message, {
    hint: 'Compare details.seen and details.current, and send the outcome with the current version.',
    details: {
      seenVersion: seen,
      currentVersion: current,
      seen: history.find(item, seen) ?? null,
      current: history.find(item, current) ?? null,
    },
  });
}
