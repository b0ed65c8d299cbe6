import type { KeyboardEvent } from 'react';
import type { GraphCanvas } from './graph-canvas.ts';
import type { GraphEditor } from './graph-editor.ts';
import { isNodeVisible } from './graph-model.ts';

/** What the keys of the picture do, as its list of keys says it. */
export const KEYS: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: 'Arrows', does: 'Move the picture' },
  { keys: '+ -', does: 'Zoom in and out' },
  { keys: '0', does: 'Fit the whole picture' },
  { keys: 'N', does: 'Select the next node; with Shift the one before' },
  { keys: 'C', does: 'Center the selected node' },
  { keys: 'E', does: 'Expand the selected node' },
  { keys: 'X', does: 'Collapse the selected node' },
  { keys: 'P', does: 'Pin or unpin the selected node' },
  { keys: 'Delete', does: 'Remove the selected node' },
  { keys: 'L', does: 'Run or stop the force layout' },
  { keys: 'Ctrl Z', does: 'Undo; with Shift redo' },
  { keys: 'Escape', does: 'Clear the selection and the path' },
];

interface KeyTarget {
  readonly editor: GraphEditor;
  readonly canvas: GraphCanvas;
  readonly expand: (uid: string) => void;
}

type KeyAction = (target: KeyTarget) => void;

/** Undefined for keys that the picture leaves to the browser. */
export function keyAction(event: KeyboardEvent): KeyAction | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  const letter = key.toLowerCase();
  if (ctrlKey || metaKey) {
    if (letter === 'z') return ({ editor }) => (shiftKey ? editor.redo() : editor.undo());
    return letter === 'y' ? ({ editor }) => editor.redo() : undefined;
  }
  if (altKey) return undefined;
  if (letter === 'n') return ({ editor, canvas }) => selectNext(editor, canvas, shiftKey ? -1 : 1);
  return PLAIN[letter];
}

const PLAIN: Readonly<Record<string, KeyAction>> = {
  arrowleft: ({ canvas }) => canvas.pan(-1, 0),
  arrowright: ({ canvas }) => canvas.pan(1, 0),
  arrowup: ({ canvas }) => canvas.pan(0, 1),
  arrowdown: ({ canvas }) => canvas.pan(0, -1),
  '+': ({ canvas }) => canvas.zoomIn(),
  '=': ({ canvas }) => canvas.zoomIn(),
  '-': ({ canvas }) => canvas.zoomOut(),
  '0': ({ canvas }) => canvas.fit(),
  c: withSelected((uid, { canvas }) => canvas.center(uid)),
  e: withSelected((uid, { expand }) => expand(uid)),
  x: withSelected((uid, { editor }) => editor.collapse(uid)),
  p: withSelected((uid, { editor }) => editor.setPinned(uid, !editor.view.drawing.pinned.has(uid))),
  delete: withSelected((uid, { editor }) => editor.removeNode(uid)),
  l: ({ editor }) => (editor.view.isLayoutRunning ? editor.stopLayout() : editor.startLayout()),
  escape: ({ editor }) => {
    editor.select(undefined);
    editor.clearHighlight();
  },
};

function withSelected(act: (uid: string, target: KeyTarget) => void): KeyAction {
  return (target) => {
    const { selected } = target.editor.view;
    if (selected !== undefined) act(selected, target);
  };
}

function selectNext(editor: GraphEditor, canvas: GraphCanvas, step: 1 | -1): void {
  const { drawing, selected } = editor.view;
  const uids = [...drawing.nodes.keys()].filter((uid) => isNodeVisible(drawing, uid));
  const at = selected === undefined ? -1 : uids.indexOf(selected);
  const next = at < 0 && step < 0 ? uids.at(-1) : uids[(at + step + uids.length) % uids.length];
  if (next === undefined) return;
  editor.select(next);
  canvas.center(next);
}
