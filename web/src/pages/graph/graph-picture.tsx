import { LocateFixed, Maximize, Minus, Network, Plus } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import type { Expansion } from './editor-hooks.ts';
import { GraphCanvas } from './graph-canvas.ts';
import type { EditorView, GraphEditor } from './graph-editor.ts';
import { KEYS, keyAction } from './picture-keys.ts';
import type { TypeColors } from './type-colors.ts';

interface GraphPictureProps {
  readonly editor: GraphEditor;
  readonly view: EditorView;
  readonly expansion: Expansion;
  readonly colors: TypeColors;
}

/** The drawing as sigma draws it, with buttons and keys to move it. */
export function GraphPicture({ editor, view, expansion, colors }: GraphPictureProps) {
  const { element, canvas } = useCanvas(editor, colors, expansion);
  const keysId = useId();
  const isEmpty = view.drawing.nodes.size === 0;
  const onKeyDown = (event: KeyboardEvent) => {
    const action = keyAction(event);
    if (action === undefined || canvas === undefined) return;
    event.preventDefault();
    action({ editor, canvas, expand: expansion.expand });
  };
  return (
    <div>
      <div className="relative h-[65dvh] min-h-96 rounded-card border bg-surface">
        <div
          ref={element}
          role="application"
          aria-label={describePicture(view)}
          aria-describedby={keysId}
          tabIndex={0}
          onKeyDown={onKeyDown}
          className="absolute inset-0 touch-none -outline-offset-2"
        />
        {isEmpty && (
          <div className="pointer-events-none absolute inset-0 flex items-center justify-center">
            <EmptyState icon={Network} title="Nothing is drawn yet">
              Add a node: it comes with its first neighbors. The menu opens a file that was exported
              here.
            </EmptyState>
          </div>
        )}
        <div
          role="group"
          aria-label="View"
          className="absolute right-2 bottom-2 flex flex-col rounded-card border bg-raised shadow-raised"
        >
          <IconButton icon={Plus} label="Zoom in" onClick={() => canvas?.zoomIn()} />
          <IconButton icon={Minus} label="Zoom out" onClick={() => canvas?.zoomOut()} />
          <IconButton icon={Maximize} label="Fit the picture" onClick={() => canvas?.fit()} />
          <IconButton
            icon={LocateFixed}
            label="Center the selected node"
            disabled={view.selected === undefined}
            onClick={() => view.selected !== undefined && canvas?.center(view.selected)}
          />
        </div>
      </div>
      <KeyList id={keysId} />
    </div>
  );
}

/** The canvas lives as long as its element, and follows the theme. */
function useCanvas(editor: GraphEditor, colors: TypeColors, expansion: Expansion) {
  const element = useRef<HTMLDivElement>(null);
  const [canvas, setCanvas] = useState<GraphCanvas>();
  const latest = useRef({ colors, expansion });
  latest.current = { colors, expansion };
  useEffect(() => {
    if (element.current === null) return undefined;
    const made = new GraphCanvas(editor, element.current, {
      colors: latest.current.colors,
      onExpand: (uid) => latest.current.expansion.expand(uid),
    });
    setCanvas(made);
    return () => {
      setCanvas(undefined);
      made[Symbol.dispose]();
    };
  }, [editor]);
  useEffect(() => canvas?.recolor(colors), [canvas, colors]);
  return { element, canvas };
}

function describePicture({ drawing, selected }: EditorView): string {
  const counts = `${drawing.nodes.size} nodes and ${drawing.edges.size} edges`;
  const node = selected === undefined ? undefined : drawing.nodes.get(selected);
  const text = `Picture of ${counts}. The table has the same as text.`;
  return node === undefined ? text : `${text} Selected: ${node.label}, ${node.type}.`;
}

function KeyList({ id }: { readonly id: string }) {
  return (
    <details className="mt-2 text-[13px] text-muted">
      <summary>Keys and mouse</summary>
      <div id={id} className="mt-2">
        <p>
          Drag the background to move the picture, turn the wheel to zoom, click a node to select
          it, double click to expand it, drag it to pin it elsewhere.
        </p>
        <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 sm:grid-cols-[auto_1fr_auto_1fr]">
          {KEYS.map(({ keys, does }) => (
            <div key={keys} className="contents">
              <dt>
                <kbd className="rounded border bg-sunken px-1.5 font-mono text-xs text-ink">
                  {keys}
                </kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </div>
    </details>
  );
}
