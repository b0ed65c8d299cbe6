import { deleteCharBackward, deleteCharForward } from '@codemirror/commands';
import type { EditorState, Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/**
 * Edits that join lines, made by the browser itself: such as by the delete key of a phone, or from
 * a menu. The browser would copy computed styles into `style` attributes, which the policy of the
 * page refuses. So such an edit is made here. In a shadow root the browser does not say which range
 * it will change; what is selected tells.
 */
export const EDITS_OF_BROWSER: Extension = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data, isComposing }, view) => {
    const { state } = view;
    if (isComposing || state.readOnly) return false;
    const isDeletion = inputType.startsWith('delete');
    if (!isDeletion && (inputType !== 'insertText' || data === null)) return false;
    if (selectsLines(state)) {
      const change = state.replaceSelection(isDeletion ? '' : (data ?? ''));
      const userEvent = isDeletion ? 'delete.selection' : 'input.type';
      view.dispatch(state.update(change, { userEvent, scrollIntoView: true }));
      return true;
    }
    if (!isDeletion || !state.selection.main.empty) return false;
    const { head } = state.selection.main;
    const { from, to } = state.doc.lineAt(head);
    if (inputType.endsWith('Backward')) return head === from && deleteCharBackward(view);
    return inputType.endsWith('Forward') && head === to && deleteCharForward(view);
  },
});

function selectsLines({ doc, selection }: EditorState): boolean {
  return selection.ranges.some(({ from, to }) => doc.lineAt(from).to < to);
}
