import { javascriptLanguage, typescriptLanguage } from '@codemirror/lang-javascript';
import { LanguageSupport } from '@codemirror/language';
import { linter, type Diagnostic } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';

export type EditorLanguage = 'typescript' | 'json';

/** JSON is an expression of JavaScript. */
const JSON_LANGUAGE = new LanguageSupport(
  javascriptLanguage.configure({ top: 'SingleExpression' }),
);
const TYPESCRIPT = new LanguageSupport(typescriptLanguage);

export function languageOf(language: EditorLanguage): Extension {
  return language === 'json' ? [JSON_LANGUAGE, linter(jsonFaults)] : TYPESCRIPT;
}

function jsonFaults({ state }: { state: { doc: { toString(): string } } }): Diagnostic[] {
  const text = state.doc.toString();
  const fault = jsonFault(text);
  if (fault === undefined) return [];
  const from = Math.min(fault.at, text.length);
  return [{ from, to: from, severity: 'error', message: fault.message }];
}

/** Why a text is no JSON, and where; undefined when it is, or is empty. */
export function jsonFault(
  text: string,
): { readonly message: string; readonly at: number } | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Engines say where in words of their own; where they do not, it is the end.
    const at = /at position (\d+)/.exec(message)?.[1];
    return { message, at: at === undefined ? text.length : Number(at) };
  }
}
