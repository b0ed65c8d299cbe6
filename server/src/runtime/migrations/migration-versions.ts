import type { CodeItem } from '../history/code-history.ts';
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
