import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { classNames } from '../../ui/class-names.ts';
import { formatCount } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { RecordBeside } from '../data/record-beside.tsx';
import { AddNodeCard } from './add-node-card.tsx';
import { DrawingTables } from './drawing-tables.tsx';
import { useEditorView, useExpansion, useTypeColors } from './editor-hooks.ts';
import { STEP_SIZE_DEFAULT } from './expansion.ts';
import type { EditorView, GraphEditor } from './graph-editor.ts';
import { EDGES_MAX, NODES_MAX } from './graph-model.ts';
import { useNotedVisit } from '../tour/visited-pages.ts';
import { GraphPicture } from './graph-picture.tsx';
import { GraphMenus } from './graph-menus.tsx';
import { GraphToolbar } from './graph-toolbar.tsx';
import { useKeptPicture } from './kept-picture.ts';
import { NodePanel } from './node-panel.tsx';
import { TypeLegend } from './type-legend.tsx';
import { ViewSwitch } from './view-switch.tsx';

const route = getRouteApi('/workspace/graph');

/** The drawing with everything that can be done to it, as a picture or as tables. */
export function GraphWorkbench({ editor }: { readonly editor: GraphEditor }) {
  const { view: shownAs, record } = route.useSearch();
  const navigate = route.useNavigate();
  const [canDraw] = useState(hasWebGl);
  const [stepSize, setStepSize] = useState<number>(STEP_SIZE_DEFAULT);
  const view = useEditorView(editor);
  const colors = useTypeColors(editor);
  const expansion = useExpansion(editor, stepSize);
  useKeptPicture(editor);
  useNotedVisit('graph', view.drawing.nodes.size > 0);
  const isTable = shownAs === 'table' || !canDraw;
  const isEmpty = view.drawing.nodes.size === 0;

  const close = () =>
    navigate({
      search: (last) => ({ ...last, record: undefined }),
      resetScroll: false,
      replace: true,
    });

  return (
    <RecordBeside page="/graph" title="Graph" uid={record} onClose={close}>
      <PageHeader
        title="Graph"
        description="Draw a part of the graph: begin with a node, and expand from there."
        actions={
          <>
            {canDraw && <ViewSwitch isTable={isTable} />}
            <GraphMenus editor={editor} view={view} colors={colors} />
          </>
        }
      />
      <Notices view={view} canDraw={canDraw} />
      <div
        className={classNames(
          'grid items-start gap-4',
          record === undefined && 'xl:grid-cols-[minmax(0,1fr)_21rem]',
        )}
      >
        <div className="flex min-w-0 flex-col gap-3">
          <GraphToolbar {...{ editor, view, stepSize }} onStepSize={setStepSize} />
          {isTable ? (
            <DrawingTables {...{ editor, view, expansion }} />
          ) : (
            <GraphPicture {...{ editor, view, expansion, colors }} />
          )}
          <StatusLine view={view} isBusy={expansion.isBusy} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <AddNodeCard editor={editor} />
          {view.selected !== undefined && (
            <NodePanel uid={view.selected} {...{ editor, view, expansion, stepSize }} />
          )}
          {!isEmpty && <TypeLegend {...{ editor, view, colors }} />}
        </div>
      </div>
    </RecordBeside>
  );
}

function Notices({ view, canDraw }: { readonly view: EditorView; readonly canDraw: boolean }) {
  const { nodes, edges } = view.drawing;
  const isFull = nodes.size >= NODES_MAX || edges.size >= EDGES_MAX;
  if (canDraw && !isFull && view.missing === 0) return null;
  return (
    <div className="mb-4 flex flex-col gap-2">
      {!canDraw && (
        <Notice tone="warning">
          The picture needs WebGL, which this browser does not have. The tables show the same.
        </Notice>
      )}
      {view.missing > 0 && (
        <Notice tone="info">
          {view.missing === 1
            ? '1 node of this picture is not shown: it does not exist any more, or you may not see it.'
            : `${formatCount(view.missing)} nodes of this picture are not shown: they do not exist any more, or you may not see them.`}
        </Notice>
      )}
      {isFull && (
        <Notice tone="warning">
          The drawing is full: it holds at most {formatCount(NODES_MAX)} nodes and{' '}
          {formatCount(EDGES_MAX)} edges. Remove some to add others.
        </Notice>
      )}
    </div>
  );
}

/** Read out when it changes: what a step did. */
function StatusLine({ view, isBusy }: { readonly view: EditorView; readonly isBusy: boolean }) {
  const { nodes, edges, hiddenNodeTypes, hiddenEdgeTypes } = view.drawing;
  const hidden = hiddenNodeTypes.size + hiddenEdgeTypes.size;
  const parts = [
    `${counted(nodes.size, 'node')} and ${counted(edges.size, 'edge')}.`,
    hidden > 0 && `${counted(hidden, 'type')} hidden.`,
    view.isLayoutRunning && 'The layout is running.',
    isBusy && 'Reading neighbors.',
  ];
  return (
    <p role="status" className="text-[13px] text-muted">
      {parts.filter(Boolean).join(' ')}
    </p>
  );
}

function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Whether the browser draws with WebGL, which it may refuse without a graphics card. */
function hasWebGl(): boolean {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('webgl2') ?? canvas.getContext('webgl');
  // There are only some contexts for all pages of a browser.
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}
