import dagre from '@dagrejs/dagre';
import { useQuery } from '@tanstack/react-query';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import {
  Background,
  Controls,
  type Edge,
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
import { Notice } from '../../ui/notice.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { isOwnType } from './schema.ts';
import { relationsQuery, type SchemaRelation } from './schema-relations.ts';

type NodeType = SchemaDocument['nodes'][number];
type TypeNode = Node<{ readonly nodeType: NodeType; readonly toItself: readonly string[] }, 'type'>;

const WIDTH_PX = 220;
const HEAD_PX = 36;
const ROW_PX = 20;
const FIELDS_SHOWN = 8;
const CHARACTERS_PER_ROW = 34;
const NODE_TYPES = { type: TypeBox };

/**
 * The types as boxes with their fields, and what leads from one to another. The list beside it says
 * the same in words.
 */
export function SchemaPicture({ schema }: { readonly schema: SchemaDocument }) {
  const relations = useQuery(relationsQuery(schema));
  return (
    <QueryView query={relations} errorTitle="The relations could not be read">
      {(data) => <Picture schema={schema} relations={data} />}
    </QueryView>
  );
}

interface PictureProps {
  readonly schema: SchemaDocument;
  readonly relations: readonly SchemaRelation[];
}

function Picture({ schema, relations }: PictureProps) {
  const isDark = useIsDark();
  const { nodes, edges } = useMemo(() => layoutOf(schema, relations), [schema, relations]);
  return (
    <>
      <div className="p-3">
        <Notice tone="info">
          The connections are read from a few nodes of each type: a rare one may be missing.
        </Notice>
      </div>
      <div className="h-[70vh] border-t" role="region" aria-label="Picture of the schema">
        <ReactFlow
          defaultNodes={nodes}
          defaultEdges={edges}
          nodeTypes={NODE_TYPES}
          colorMode={isDark ? 'dark' : 'light'}
          nodesConnectable={false}
          deleteKeyCode={null}
          fitView
          minZoom={0.1}
        >
          <Background />
          <Controls showInteractive={false} />
        </ReactFlow>
      </div>
    </>
  );
}

function TypeBox({ data: { nodeType, toItself } }: NodeProps<TypeNode>) {
  const fields = Object.entries(nodeType.fields);
  return (
    <div className="w-[220px] rounded-control border border-line-strong bg-surface text-xs text-ink">
      <Handle type="target" position={Position.Left} />
      <p className="border-b bg-accent-soft px-2 py-1.5 text-sm font-semibold text-accent-strong">
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
        <p className="border-t px-2 py-1 text-muted">To itself: {toItself.join(', ')}</p>
      )}
      <Handle type="source" position={Position.Right} />
    </div>
  );
}

/** Layered from left to right; edges between the same two types share one line. */
function layoutOf(schema: SchemaDocument, relations: readonly SchemaRelation[]) {
  const types = schema.nodes.filter(({ type }) => !isOwnType(type));
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 40, ranksep: 140 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { type, fields } of types) {
    const shown = Math.min(Object.keys(fields).length, FIELDS_SHOWN + 1);
    const loops = Math.ceil(loopsOf(relations, type).join(', ').length / CHARACTERS_PER_ROW);
    graph.setNode(type, { width: WIDTH_PX, height: HEAD_PX + ROW_PX * (shown + loops) });
  }
  const others = relations.filter(({ from, to }) => from !== to);
  const lines = Map.groupBy(others, ({ from, to }) => JSON.stringify([from, to]));
  for (const [{ from, to }] of lines.values() as Iterable<[SchemaRelation]>)
    graph.setEdge(from, to);
  dagre.layout(graph);
  const nodes = types.map((nodeType): TypeNode => {
    const { x, y, width, height } = graph.node(nodeType.type);
    return {
      id: nodeType.type,
      type: 'type',
      position: { x: x - width / 2, y: y - height / 2 },
      data: { nodeType, toItself: loopsOf(relations, nodeType.type) },
    };
  });
  const edges = [...lines].map(([id, line]): Edge => {
    const [{ from, to }] = line as [SchemaRelation];
    const label = line.map(({ edge }) => edge).join(', ');
    return { id, source: from, target: to, label, markerEnd: { type: MarkerType.ArrowClosed } };
  });
  return { nodes, edges };
}

/** A line from a box to itself would lie under it: these are named in the box. */
function loopsOf(relations: readonly SchemaRelation[], type: string): string[] {
  return relations.filter(({ from, to }) => from === type && to === type).map(({ edge }) => edge);
}
