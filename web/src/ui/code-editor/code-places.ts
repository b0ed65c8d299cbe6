import type { Diagnostic as Mark } from '@codemirror/lint';
import type { EditorState, Text } from '@codemirror/state';
import type { Diagnostic, Remark } from '@trellis/contract/shapes/endpoint.ts';
import type { CodePlace } from './editor-services.ts';

export function placeOf(state: EditorState, position: number): CodePlace {
  const line = state.doc.lineAt(position);
  return { code: state.doc.toString(), line: line.number, column: position - line.from + 1 };
}

/** The position of a place; the nearest one when there is no such place (any more). */
export function positionOf(doc: Text, place: { line: number; column: number }): number {
  const line = doc.line(Math.min(Math.max(place.line, 1), doc.lines));
  return Math.min(line.from + Math.max(place.column - 1, 0), line.to);
}

/** The name that begins at a place, or after a quote there; undefined where there is none. */
export function nameAt(
  doc: Text,
  place: { readonly line: number; readonly column: number },
): { readonly from: number; readonly to: number } | undefined {
  const at = positionOf(doc, place);
  const line = doc.lineAt(at);
  const found = /^(["'`]?)([\w$]+)/.exec(line.text.slice(at - line.from));
  const [, quote = '', name = ''] = found ?? [];
  const from = at + quote.length;
  return found === null ? undefined : { from, to: from + name.length };
}

/** Marks from the place to the end of the word there. */
export function marksOf(doc: Text, diagnostics: readonly (Diagnostic | Remark)[]): Mark[] {
  return diagnostics
    .map((diagnostic): Mark => {
      const { line, column, message } = diagnostic;
      const severity = 'severity' in diagnostic ? diagnostic.severity : 'error';
      const from = positionOf(doc, { line, column });
      const { to: end, text, from: start } = doc.lineAt(from);
      const word = /^[\w$]+/.exec(text.slice(from - start))?.[0].length ?? 1;
      return { from, to: Math.min(from + word, end), severity, message };
    })
    .toSorted((a, b) => a.from - b.from);
}
