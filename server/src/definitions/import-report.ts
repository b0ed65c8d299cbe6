import { IMPORT_ACTIONS } from '@trellis/contract/shapes/definitions.ts';
import type { DefinitionsImport, ImportedItem } from '@trellis/contract/shapes/definitions.ts';
import {
  DEFINITION_DIAGNOSTICS_MAX,
  DEFINITION_DIFF_CHARACTERS_MAX,
  DEFINITION_DIFFS_CHARACTERS_MAX,
  DEFINITION_IGNORED_FILES_MAX,
} from '#base/definition-limits.ts';
import { unifiedDiff, type TextFile } from '#runtime/history/unified-diff.ts';
import type { DefinitionFile } from './definition-kind.ts';

type ImportAction = (typeof IMPORT_ACTIONS)[number];

export type ImportReport = DefinitionsImport;
export type ImportHead = Omit<DefinitionsImport, 'totals' | 'items' | 'ignored' | 'afterwards'>;

/**
 * Collects what becomes of the definitions of one import; of diffs only as much as an answer can
 * hold.
 */
export class ImportRecord {
  readonly items: ImportedItem[] = [];
  readonly afterwards: DefinitionsImport['afterwards'][number][] = [];
  #diffCharacters = 0;

  add(item: NewItem): void {
    this.items.push(this.#tidy(item));
  }

  /** In place of what was said of the same definition. */
  replace(item: NewItem): void {
    const at = this.items.findIndex(({ kind, name }) => kind === item.kind && name === item.name);
    if (at < 0) this.add(item);
    else this.items[at] = this.#tidy({ ...item, diff: this.items[at]?.diff ?? '' });
  }

  get totals(): Readonly<Record<ImportAction, number>> {
    const totals = IMPORT_ACTIONS.map((action) => [action, this.count(action)] as const);
    return Object.fromEntries(totals) as Record<ImportAction, number>;
  }

  count(action: ImportAction): number {
    return this.items.filter((item) => item.action === action).length;
  }

  report(head: ImportHead, ignored: readonly string[]): ImportReport {
    return {
      ...head,
      totals: this.totals,
      items: this.items,
      ignored: ignored.slice(0, DEFINITION_IGNORED_FILES_MAX),
      afterwards: this.afterwards,
    };
  }

  #tidy({ kind, name, file, action, ...rest }: NewItem): ImportedItem {
    const { diff = '', diagnostics = [], error = null } = rest;
    return {
      kind,
      name,
      file,
      action,
      diff: this.#kept(diff),
      diagnostics: diagnostics.slice(0, DEFINITION_DIAGNOSTICS_MAX),
      error,
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

type NewItem = Pick<ImportedItem, 'kind' | 'name' | 'file' | 'action'> & Partial<ImportedItem>;

/** Whether an import is done, was refused, or is only thought of. */
type Outcome = 'done' | 'refused' | 'would';

const WORDS = {
  done: { created: 'Created', changed: 'Changed', deleted: 'Deleted' },
  would: { created: 'Would create', changed: 'Would change', deleted: 'Would delete' },
} as const;

/** What an import tells of its items, a line each. */
export function linesOf(
  { items, totals, afterwards }: ImportRecord,
  others: readonly string[],
  outcome: Outcome,
): string[] {
  const words = WORDS[outcome === 'done' ? 'done' : 'would'];
  const lines = others.map((path) => `Left out: ${path}.`);
  for (const { kind, name, file, action, diagnostics, error } of items) {
    if (action === 'unchanged') continue;
    const what = `the ${kind.replaceAll('-', ' ')}${name === kind ? '' : ` "${name}"`}`;
    const why = error === null ? '' : `: ${error.message}`;
    lines.push(action === 'failed' ? `Failed: ${what}${why}` : `${words[action]} ${what}.`);
    for (const { line, column, message } of diagnostics) {
      lines.push(
        line === undefined ? `  ${message}` : `  ${file}:${line}:${column ?? 1}: ${message}`,
      );
    }
  }
  if (totals.unchanged > 0) lines.push(`Unchanged: ${totals.unchanged}.`);
  lines.push(...afterwards.map(({ message }) => `Afterwards: ${message}`));
  if (outcome === 'refused') {
    lines.push(`Nothing was changed: ${totals.failed} of ${items.length} definitions failed.`);
  }
  return lines;
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
