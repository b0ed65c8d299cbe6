import { Expand, Network, Pin, PinOff, Shrink, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { classNames } from '../../ui/class-names.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { Pager } from '../../ui/pager.tsx';
import type { Expansion } from './editor-hooks.ts';
import type { EditorView, GraphEditor } from './graph-editor.ts';
import {
  countEdges,
  type DrawnEdge,
  type DrawnNode,
  edgeId,
  isEdgeVisible,
  isNodeVisible,
} from './graph-model.ts';

const PAGE_ROWS = 100;

interface DrawingTablesProps {
  readonly editor: GraphEditor;
  readonly view: EditorView;
  readonly expansion: Expansion;
}

/**
 * All that the picture shows, for the keyboard and for those who cannot see it; what is hidden is
 * not in it either.
 */
export function DrawingTables(props: DrawingTablesProps) {
  const { drawing } = props.view;
  const [words, setWords] = useState('');
  if (drawing.nodes.size === 0) {
    return (
      <Card>
        <EmptyState icon={Network} title="Nothing is drawn yet">
          Add a node: it comes with its first neighbors.
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <TextField
        label="Filter the tables"
        isLabelHidden
        placeholder="Filter by name or type"
        type="search"
        className="max-w-sm"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      {/* Another filter begins on its first page. */}
      <NodeTable key={`nodes ${words}`} {...props} words={words} />
      <EdgeTable key={`edges ${words}`} {...props} words={words} />
    </>
  );
}

type TableProps = DrawingTablesProps & { readonly words: string };

function NodeTable({ editor, view, expansion, words }: TableProps) {
  const { drawing, highlight } = view;
  const edgeCounts = useMemo(() => countEdges(drawing), [drawing]);
  const rows = useMemo(
    () =>
      [...drawing.nodes.values()].filter(
        ({ uid, label, type }) => isNodeVisible(drawing, uid) && matches(words, label, type),
      ),
    [drawing, words],
  );
  const columns: readonly Column<DrawnNode>[] = [
    {
      title: 'Name',
      cell: ({ uid, label }) => (
        <span className="flex flex-wrap items-center gap-2">
          <SelectButton editor={editor} view={view} uid={uid} label={label} />
          {drawing.pinned.has(uid) && <Badge>pinned</Badge>}
          {highlight?.nodes.has(uid) === true && <Badge tone="info">on the path</Badge>}
        </span>
      ),
    },
    { title: 'Type', cell: ({ type }) => type },
    { title: 'Edges', isNumber: true, cell: ({ uid }) => formatCount(edgeCounts.get(uid) ?? 0) },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (node) => <NodeRowActions {...{ editor, view, expansion, node }} />,
    },
  ];
  return <PagedTable title="Nodes" columns={columns} rows={rows} keyOf={({ uid }) => uid} />;
}

function NodeRowActions(props: DrawingTablesProps & { readonly node: DrawnNode }) {
  const { editor, view, expansion, node } = props;
  const { uid, label } = node;
  const isPinned = view.drawing.pinned.has(uid);
  return (
    <div className="flex justify-end">
      <IconButton
        size="small"
        icon={Expand}
        label={`Expand ${label}`}
        disabled={expansion.isBusy}
        onClick={() => expansion.expand(uid)}
      />
      <IconButton
        size="small"
        icon={Shrink}
        label={`Collapse ${label}`}
        onClick={() => editor.collapse(uid)}
      />
      <IconButton
        size="small"
        icon={isPinned ? PinOff : Pin}
        label={`${isPinned ? 'Unpin' : 'Pin'} ${label}`}
        onClick={() => editor.setPinned(uid, !isPinned)}
      />
      <IconButton
        size="small"
        icon={Trash2}
        label={`Remove ${label}`}
        onClick={() => editor.removeNode(uid)}
      />
    </div>
  );
}

function EdgeTable({ editor, view, words }: TableProps) {
  const { drawing, highlight } = view;
  const rows = useMemo(() => {
    const labelOf = (uid: string) => drawing.nodes.get(uid)?.label ?? uid;
    return [...drawing.edges.values()].filter(
      (edge) =>
        isEdgeVisible(drawing, edge) &&
        matches(words, labelOf(edge.from), labelOf(edge.to), edge.type),
    );
  }, [drawing, words]);
  const end = (uid: string) => (
    <SelectButton editor={editor} view={view} uid={uid} label={editor.labelOf(uid)} />
  );
  const columns: readonly Column<DrawnEdge>[] = [
    { title: 'From', cell: ({ from }) => end(from) },
    {
      title: 'Edge',
      cell: (edge) => (
        <span className="flex flex-wrap items-center gap-2">
          {edge.type}
          {highlight?.edges.has(edgeId(edge)) === true && <Badge tone="info">on the path</Badge>}
        </span>
      ),
    },
    { title: 'To', cell: ({ to }) => end(to) },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (edge) => (
        <div className="flex justify-end">
          <IconButton
            size="small"
            icon={Trash2}
            label={`Remove ${edge.type} from ${editor.labelOf(edge.from)} to ${editor.labelOf(edge.to)}`}
            onClick={() => editor.removeEdge(edgeId(edge))}
          />
        </div>
      ),
    },
  ];
  return <PagedTable title="Edges" columns={columns} rows={rows} keyOf={edgeId} />;
}

interface SelectButtonProps {
  readonly editor: GraphEditor;
  readonly view: EditorView;
  readonly uid: string;
  readonly label: string;
}

function SelectButton({ editor, view, uid, label }: SelectButtonProps) {
  const isSelected = view.selected === uid;
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={() => editor.select(isSelected ? undefined : uid)}
      className={classNames(
        'rounded text-left break-words underline-offset-2 hover:underline',
        isSelected ? 'font-semibold text-accent' : 'text-ink',
      )}
    >
      {label}
    </button>
  );
}

interface PagedTableProps<T> {
  readonly title: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

/** By pages, so that a reader of the screen has rows that stay where they are. */
function PagedTable<T>({ title, columns, rows, keyOf }: PagedTableProps<T>) {
  const [asked, setSkip] = useState(0);
  // Rows may have gone since.
  const skip = asked < rows.length ? asked : 0;
  const shown = rows.slice(skip, skip + PAGE_ROWS);
  return (
    <Card title={`${title} (${formatCount(rows.length)})`} isFlush>
      {shown.length === 0 ? (
        <p className="px-4 pb-4 text-muted">None.</p>
      ) : (
        <DataTable label={title} columns={columns} rows={shown} keyOf={keyOf} />
      )}
      <Pager
        skip={skip}
        take={PAGE_ROWS}
        shown={shown.length}
        total={rows.length}
        onSkip={setSkip}
      />
    </Card>
  );
}

function matches(words: string, ...texts: readonly string[]): boolean {
  const wanted = words.trim().toLocaleLowerCase();
  return wanted === '' || texts.some((text) => text.toLocaleLowerCase().includes(wanted));
}
