import { Problem } from '#base/problem.ts';
import type { CodeHistory, CodeItem } from './code-history.ts';

/** Refuses a change of what was changed since it was seen, with `version_conflict`. Without `seen` nothing is asked. */
export function checkSeen(
  history: CodeHistory,
  item: CodeItem,
  { seen, current }: { readonly seen: number | undefined; readonly current: number },
): void {
  if (seen === undefined || seen === current) return;
  const message = `The ${item.kind} "${item.name}" is at version ${current}, not ${seen}`;
  throw new Problem('version_conflict', message, {
    hint: 'Compare details.seen, details.current and your own text, and send the outcome with the current version.',
    details: {
      seenVersion: seen,
      currentVersion: current,
      seen: history.find(item, seen) ?? null,
      current: history.find(item, current) ?? null,
    },
  });
}
