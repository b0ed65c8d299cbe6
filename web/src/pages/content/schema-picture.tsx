import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import {
  Background,
  BaseEdge,
  Controls,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  getBezierPath,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { useMemo } from 'react';
import { useIsDark } from '../../app/theme.ts';
import { formatCount } from '../../ui/format.ts';
import { boxesOf, FIELDS_SHOWN, LABELS_SHOWN, linesOf, type TypeBox } from './schema-layout.ts';
import type { SchemaRelation } from './schema-relations.ts';

type TypeNode = Node<TypeBox, 'type'>;
type RelationEdge = Edge<{ readonly relations: readonly SchemaRelation[] }, 'relation'>;

const NODE_TYPES = { type: TypeBoxView };
const EDGE_TYPES = { relation: RelationLine };

interface SchemaPictureProps {
  readonly schema: SchemaDocument;
  readonly relations: readonly SchemaRelation[];
}

/**
 * The types as boxes with their fields, and what leads from one to another. The table under it says
 * the same in words.
 */
export function SchemaPicture({ schema, relations }: SchemaPictureProps) {
  const isDark = useIsDark();
  const { nodes, edges } = useMemo(() => flowOf(schema, relations), [schema, relations]);
  return (
    <div className="h-[70vh]" role="region" aria-label="Picture of the schema">
      <ReactFlow
        // What is drawn first stays, so another schema is another picture.
        key={nodes.map(({ id }) => id).join(' ')}
        defaultNodes={nodes}
        defaultEdges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        colorMode={isDark ? 'dark' : 'light'}
        nodesConnectable={false}
        deleteKeyCode={null}
        fitView
        fitViewOptions={{ maxZoom: 1 }}
        minZoom={0.1}
      >
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

function flowOf(schema: SchemaDocument, relations: readonly SchemaRelation[]) {
  const lines = linesOf(relations);
  const nodes = boxesOf(schema, relations).map(({ x, y, ...data }): TypeNode => ({
    id: data.nodeType.type,
    type: 'type',
    position: { x, y },
    data,
  }));
  const edges = lines.map(({ from, to, relations: on }): RelationEdge => ({
    id: JSON.stringify([from, to]),
    type: 'relation',
    source: from,
    target: to,
    data: { relations: on },
    ariaLabel: `${from} to ${to}: ${on.map(relationText).join(', ')}`,
    markerEnd: { type: MarkerType.ArrowClosed, width: 18, height: 18 },
  }));
  return { nodes, edges };
}

function relationText({ edge, edges }: SchemaRelation): string {
  return `${edge} ${formatCount(edges)}`;
}

function RelationLine(props: EdgeProps<RelationEdge>) {
  const { id, data, markerEnd } = props;
  const [path, x, y] = getBezierPath(props);
  const relations = data?.relations ?? [];
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        {...(markerEnd !== undefined && { markerEnd })}
        style={{ stroke: 'var(--color-line-strong)', strokeWidth: 1.5 }}
      />
      <EdgeLabelRenderer>
        <ul
          className="absolute rounded-control border bg-surface px-1.5 py-0.5 text-xs text-ink"
          style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
        >
          {relations.slice(0, LABELS_SHOWN).map(({ edge, edges }) => (
            <li key={edge} className="flex justify-between gap-2 whitespace-nowrap">
              {edge}
              <span className="text-muted tabular-nums">{formatCount(edges)}</span>
            </li>
          ))}
          {relations.length > LABELS_SHOWN && (
            <li className="text-muted">and {relations.length - LABELS_SHOWN} more</li>
          )}
        </ul>
      </EdgeLabelRenderer>
    </>
  );
}

function TypeBoxView({ data: { nodeType, toItself } }: NodeProps<TypeNode>) {
  const fields = Object.entries(nodeType.fields);
  return (
    <div className="w-[220px] rounded-control border border-line-strong bg-surface text-xs text-ink">
      <Handle type="target" position={Position.Left} />
      <p className="truncate rounded-t-control border-b bg-accent-soft px-2 py-1.5 text-sm font-semibold text-accent-strong">
        {nodeType.type}
      </p>
      <ul className="px-2 py-1">
        {fields.slice(0, FIELDS_SHOWN).map(([name, type]) => (
          <li key={name} className="flex justify-between gap-2 leading-5">
            <span className="truncate">{name}</span>
            <span className="text-muted">{type}</span>
          </li>
        ))}
        {fields.length > FIELDS_SHOWN && (
          <li className="leading-5 text-muted">and {fields.length - FIELDS_SHOWN} more</li>
        )}
      </ul>
      {toItself.length > 0 && (
        <ul className="border-t px-2 py-1" aria-label={`${nodeType.type} to itself`}>
          {toItself.slice(0, LABELS_SHOWN).map(({ edge, edges }) => (
            <li key={edge} className="flex justify-between gap-2 leading-5">
              <span className="truncate">↻ {edge}</span>
              <span className="text-muted tabular-nums">{formatCount(edges)}</span>
            </li>
          ))}
          {toItself.length > LABELS_SHOWN && (
            <li className="leading-5 text-muted">and {toItself.length - LABELS_SHOWN} more</li>
          )}
        </ul>
      )}
      <Handle type="source" position={Position.Right} />
    </div>
  );
}
