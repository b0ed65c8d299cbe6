import { IMPORT_ACTIONS } from '@trellis/contract/shapes/definitions.ts';
import type { ImportedItem } from '@trellis/contract/shapes/definitions.ts';
import {
  DEFINITION_DIAGNOSTICS_MAX,
  DEFINITION_DIFF_CHARACTERS_MAX,
  DEFINITION_DIFFS_CHARACTERS_MAX,
  DEFINITION_IGNORED_FILES_MAX,
} from '#base/limits.ts';
import { unifiedDiff, type TextFile } from '#runtime/history/unified-diff.ts';
import type { DefinitionFile } from './definition-kind.ts';

export type ImportAction = (typeof IMPORT_ACTIONS)[number];

export interface ImportReport {
  readonly dryRun: boolean;
  readonly mirror: boolean;
  /** Null of a dry run. */
  readonly jobId: string | null;
  readonly totals: Readonly<Record<ImportAction, number>>;
  /** In the order in which they were imported. */
  readonly items: readonly ImportedItem[];
  /** Files that are no definition's; the first of them. */
  readonly ignored: readonly string[];
}

/**
 * Collects what becomes of the definitions of one import; of diffs only as much as an answer can
 * hold.
 */
export class ImportRecord {
  readonly items: ImportedItem[] = [];
  #diffCharacters = 0;

  add(item: Pick<ImportedItem, 'kind' | 'name' | 'action'> & Partial<ImportedItem>): void {
    const { diff = '', diagnostics = [], error = null } = item;
    const { kind, name, action } = item;
    this.items.push({
      kind,
      name,
      action,
      diff: this.#kept(diff),
      diagnostics: diagnostics.slice(0, DEFINITION_DIAGNOSTICS_MAX),
      error,
    });
  }

  count(action: ImportAction): number {
    return this.items.filter((item) => item.action === action).length;
  }

  report(
    head: Pick<ImportReport, 'dryRun' | 'mirror' | 'jobId'>,
    ignored: readonly string[],
  ): ImportReport {
    const totals = IMPORT_ACTIONS.map((action) => [action, this.count(action)] as const);
    return {
      ...head,
      totals: Object.fromEntries(totals) as ImportReport['totals'],
      items: this.items,
      ignored: ignored.slice(0, DEFINITION_IGNORED_FILES_MAX),
    };
  }

  #kept(diff: string): string {
    const left = Math.max(0, DEFINITION_DIFFS_CHARACTERS_MAX - this.#diffCharacters);
    const most = Math.min(DEFINITION_DIFF_CHARACTERS_MAX, left);
    const kept = diff.length <= most ? diff : `${diff.slice(0, most)}\n... cut off\n`;
    this.#diffCharacters += kept.length;
    return kept;
  }
}

/** What `diff -u` would say of the files of one definition; empty when they are equal. */
export function filesDiff(
  before: readonly DefinitionFile[],
  after: readonly DefinitionFile[],
): string {
  const paths = new Set([...before, ...after].map(({ path }) => path));
  const diffs = [...paths].map((path) => {
    const file = (files: readonly DefinitionFile[], side: string): TextFile => {
      const found = files.find((one) => one.path === path);
      if (found === undefined) return { path: '/dev/null', text: '' };
      return { path: `${side}/${path}`, text: found.text };
    };
    return unifiedDiff(file(before, 'a'), file(after, 'b'));
  });
  return diffs.join('');
}
