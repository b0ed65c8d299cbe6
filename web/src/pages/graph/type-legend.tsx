import { Eye, EyeOff } from 'lucide-react';
import { useMemo } from 'react';
import { Card } from '../../ui/card.tsx';
import { classNames } from '../../ui/class-names.ts';
import { formatCount } from '../../ui/format.ts';
import type { EditorView, GraphEditor } from './graph-editor.ts';
import { countTypes, type TypeCount, type TypeKind } from './graph-model.ts';
import type { TypeColors } from './type-colors.ts';

interface TypeLegendProps {
  readonly editor: GraphEditor;
  readonly view: EditorView;
  readonly colors: TypeColors;
}

/** What the colors mean, and how many there are; each type can be hidden. */
export function TypeLegend({ editor, view, colors }: TypeLegendProps) {
  const { nodes, edges, hiddenNodeTypes, hiddenEdgeTypes } = view.drawing;
  const nodeTypes = useMemo(() => countTypes(nodes.values()), [nodes]);
  const edgeTypes = useMemo(() => countTypes(edges.values()), [edges]);
  return (
    <Card title="Types" description="Click one to hide it or to show it again.">
      <TypeList
        kind="node"
        types={nodeTypes}
        hidden={hiddenNodeTypes}
        colorOf={(type) => colors.node(type)}
        onToggle={(type) => editor.setHidden('node', type, !hiddenNodeTypes.has(type))}
      />
      {edgeTypes.length > 0 && (
        <TypeList
          kind="edge"
          types={edgeTypes}
          hidden={hiddenEdgeTypes}
          colorOf={(type) => colors.edge(type)}
          onToggle={(type) => editor.setHidden('edge', type, !hiddenEdgeTypes.has(type))}
        />
      )}
    </Card>
  );
}

interface TypeListProps {
  readonly kind: TypeKind;
  readonly types: readonly TypeCount[];
  readonly hidden: ReadonlySet<string>;
  readonly colorOf: (type: string) => string;
  readonly onToggle: (type: string) => void;
}

function TypeList({ kind, types, hidden, colorOf, onToggle }: TypeListProps) {
  const title = kind === 'node' ? 'Nodes' : 'Edges';
  return (
    <div className="mt-2">
      <h3 className="text-[13px] font-medium text-muted">{title}</h3>
      <ul aria-label={`Types of ${kind}s`} className="max-h-64 overflow-y-auto">
        {types.map(({ type, count }) => {
          const isHidden = hidden.has(type);
          const Icon = isHidden ? EyeOff : Eye;
          return (
            <li key={type}>
              <button
                type="button"
                aria-pressed={!isHidden}
                onClick={() => onToggle(type)}
                className="flex w-full items-center gap-2 rounded-control px-1.5 py-1 text-left hover:bg-sunken"
              >
                <span
                  aria-hidden
                  className={classNames(
                    'shrink-0',
                    kind === 'node' ? 'size-3 rounded-full' : 'h-1 w-4 rounded',
                  )}
                  style={{ background: colorOf(type), opacity: isHidden ? 0.3 : 1 }}
                />
                <span className={classNames('min-w-0 flex-1 truncate', isHidden && 'line-through')}>
                  {type}
                </span>
                <span className="text-muted tabular-nums">{formatCount(count)}</span>
                <Icon className="size-4 shrink-0 text-muted" aria-hidden />
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
