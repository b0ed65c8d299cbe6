import { SymbolFlags } from 'typescript/unstable/async';
import type { Checker, CompletionEntry } from 'typescript/unstable/async';
import { EDITOR_COMPLETION_DETAILS_MAX, EDITOR_COMPLETIONS_MAX } from '#base/limits.ts';
import { COMPLETION_KINDS, type Completions } from '@trellis/contract/shapes/editor.ts';
import { documentationOf, oneLine } from './symbol-text.ts';
import type { Asked } from './type-checker.ts';

export interface CompletionItem {
  readonly label: string;
  readonly kind: (typeof COMPLETION_KINDS)[number];
  /** Its type. */
  readonly detail?: string;
  readonly documentation?: string;
  /** `label` when not given. */
  readonly insertText?: string;
  /** By which items are in order, then by `label`. */
  readonly sortText?: string;
}

/** What could stand at an offset of a draft, from the most to the least likely. */
export async function completionsAt(
  { project: { checker }, file }: Asked,
  source: string,
  offset: number,
): Promise<Completions> {
  const found = await checker.getCompletionsAtPosition(file, offset, { includeSymbol: true });
  const entries = (found?.entries ?? []).filter(({ name }) => !REFUSED.has(name)).toSorted(inOrder);
  const isIncomplete = entries.length > EDITOR_COMPLETIONS_MAX;
  const offered = isIncomplete
    ? entries.filter(beginningWith(wordBefore(source, offset)))
    : entries;
  const items = offered
    .slice(0, EDITOR_COMPLETIONS_MAX)
    .map((entry, i) => itemOf(checker, entry, i < EDITOR_COMPLETION_DETAILS_MAX));
  return { items: await Promise.all(items), isIncomplete };
}

/** What the compiler knows and the code of an endpoint may not have (see `syntax-rules.ts`). */
const REFUSED = new Set(
  'debugger declare enum eval Function import module namespace require'.split(' '),
);

async function itemOf(
  checker: Checker,
  { name, kind = 1, sortText, insertText, symbol }: CompletionEntry,
  isDetailed: boolean,
): Promise<CompletionItem> {
  const item = {
    label: name,
    kind: COMPLETION_KINDS[kind - 1] ?? 'text',
    ...(insertText === undefined ? {} : { insertText }),
    ...(sortText === undefined ? {} : { sortText }),
  };
  if (symbol === undefined || !isDetailed) return item;
  const hasType = (symbol.flags & SymbolFlags.Value) !== 0;
  const [type, documentation] = await Promise.all([
    hasType ? checker.getTypeOfSymbol(symbol) : undefined,
    documentationOf(checker, symbol),
  ]);
  return {
    ...item,
    ...(type === undefined ? {} : { detail: oneLine(await checker.typeToString(type)) }),
    ...(documentation.text === undefined ? {} : { documentation: documentation.text }),
  };
}

function inOrder(a: CompletionEntry, b: CompletionEntry): number {
  return compare(a.sortText ?? a.name, b.sortText ?? b.name) || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The part of a name that stands before the offset. */
function wordBefore(source: string, offset: number): string {
  return /[$\w\p{ID_Continue}]*$/u.exec(source.slice(0, offset))?.[0] ?? '';
}

function beginningWith(word: string): (entry: CompletionEntry) => boolean {
  const start = word.toLowerCase();
  return ({ name }) => name.toLowerCase().startsWith(start);
}
