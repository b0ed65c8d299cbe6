import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
} from '@codemirror/language';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { EDITS_OF_BROWSER } from './edits-of-browser.ts';

/** For reading: numbers, folding, search and brackets. */
export const READING: Extension = [
  lineNumbers(),
  foldGutter(),
  drawSelection(),
  bracketMatching(),
  highlightSelectionMatches(),
  search({ top: true }),
  keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]),
  EditorState.tabSize.of(2),
  EditorView.lineWrapping,
];

/** And for writing: Tab indents, and Escape makes the next Tab leave (CodeMirror's own rule). */
export const WRITING: Extension = [
  history(),
  indentUnit.of('  '),
  indentOnInput(),
  closeBrackets(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  lintGutter(),
  EDITS_OF_BROWSER,
  keymap.of([
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...lintKeymap,
    ...historyKeymap,
    indentWithTab,
  ]),
];

export const READ_ONLY: Extension = EditorState.readOnly.of(true);
