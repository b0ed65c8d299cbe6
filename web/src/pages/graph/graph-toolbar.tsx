import { Eraser, Play, Redo2, Square, Undo2 } from 'lucide-react';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { STEP_SIZES } from './expansion.ts';
import type { Arrangement, EditorView, GraphEditor } from './graph-editor.ts';

const ARRANGEMENTS: readonly { readonly value: Arrangement; readonly label: string }[] = [
  { value: 'force', label: 'Force' },
  { value: 'circle', label: 'Circle' },
  { value: 'type', label: 'By type' },
];

interface GraphToolbarProps {
  readonly editor: GraphEditor;
  readonly view: EditorView;
  /** How many neighbors one step brings. */
  readonly stepSize: number;
  readonly onStepSize: (stepSize: number) => void;
}

export function GraphToolbar({ editor, view, stepSize, onStepSize }: GraphToolbarProps) {
  const isEmpty = view.drawing.nodes.size === 0;
  return (
    <div
      role="group"
      aria-label="Drawing"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border bg-surface px-3 py-2"
    >
      <div className="flex items-center gap-1">
        <IconButton
          icon={Undo2}
          label={view.undoLabel === undefined ? 'Undo' : `Undo: ${view.undoLabel}`}
          disabled={view.undoLabel === undefined}
          onClick={() => editor.undo()}
        />
        <IconButton
          icon={Redo2}
          label={view.redoLabel === undefined ? 'Redo' : `Redo: ${view.redoLabel}`}
          disabled={view.redoLabel === undefined}
          onClick={() => editor.redo()}
        />
        <IconButton
          icon={Eraser}
          label="Clear the drawing"
          disabled={isEmpty}
          onClick={() => editor.clear()}
        />
      </div>
      <LabelledSelect
        label="Neighbors per step"
        value={String(stepSize)}
        options={STEP_SIZES.map((size) => ({ value: String(size), label: String(size) }))}
        onChange={(value) => onStepSize(Number(value))}
      />
      <LabelledSelect
        label="Layout"
        value={view.arrangement}
        options={ARRANGEMENTS}
        onChange={(value) => {
          const chosen = ARRANGEMENTS.find((arrangement) => arrangement.value === value);
          if (chosen !== undefined) editor.arrange(chosen.value);
        }}
      />
      {view.isLayoutRunning ? (
        <Button size="small" icon={Square} onClick={() => editor.stopLayout()}>
          Stop layout
        </Button>
      ) : (
        <Button
          size="small"
          icon={Play}
          disabled={view.drawing.nodes.size < 2}
          onClick={() => editor.startLayout()}
        >
          Run force layout
        </Button>
      )}
    </div>
  );
}

interface LabelledSelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
}

/** Its label stands before it, to keep the bar one row high. */
function LabelledSelect({ label, value, options, onChange }: LabelledSelectProps) {
  return (
    <div className="flex items-center gap-2">
      <span aria-hidden className="text-[13px] whitespace-nowrap text-muted">
        {label}
      </span>
      <SelectField
        label={label}
        isLabelHidden
        className="w-24"
        options={options}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
