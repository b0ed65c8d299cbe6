import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeft, ArrowRight, Expand, Pin, PinOff, Shrink, Trash2, X } from 'lucide-react';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { client } from '../../api/client.ts';
import { fieldsOf } from '../../api/node-label.ts';
import { Button, buttonClasses, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { formatCount } from '../../ui/format.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { EditBeside } from '../data/edit-link.tsx';
import type { Expansion } from './editor-hooks.ts';
import { type EdgeGroup, groupsOf } from './expansion.ts';
import type { EditorView, GraphEditor } from './graph-editor.ts';
import { broughtBy } from './graph-model.ts';

const FIELDS_MAX = 12;
const VALUE_CHARACTERS_MAX = 300;

/** The node, and how many edges of each type it has. */
export function neighborCountsQuery(uid: string) {
  return queryOptions({
    queryKey: ['graph', 'neighbors', uid],
    queryFn: ({ signal }) => client.system.neighbors({ node: { uid }, take: 1 }, { signal }),
  });
}

interface NodePanelProps {
  readonly uid: string;
  readonly editor: GraphEditor;
  readonly view: EditorView;
  readonly expansion: Expansion;
  readonly stepSize: number;
}

/** What is selected: its fields, and what can be done with it. */
export function NodePanel({ uid, editor, view, expansion, stepSize }: NodePanelProps) {
  const query = useQuery(neighborCountsQuery(uid));
  const node = view.drawing.nodes.get(uid);
  if (node === undefined) return null;
  return (
    <Card
      title={node.label}
      description={node.type}
      actions={
        <IconButton
          icon={X}
          label="Close selection"
          size="small"
          onClick={() => editor.select(undefined)}
        />
      }
    >
      <NodeActions {...{ uid, editor, view, expansion }} node={query.data?.node} />
      <QueryView query={query} errorTitle="The node could not be read" rows={3}>
        {(answer) => (
          <>
            <EdgeGroups
              groups={groupsOf(view.drawing, uid, answer.counts)}
              {...{ uid, expansion, stepSize }}
            />
            <NodeFields node={answer.node} />
          </>
        )}
      </QueryView>
    </Card>
  );
}

interface NodeActionsProps extends Omit<NodePanelProps, 'stepSize'> {
  /** Undefined while it is read. */
  readonly node: NodeObject | undefined;
}

function NodeActions({ uid, editor, view, expansion, node }: NodeActionsProps) {
  const isPinned = view.drawing.pinned.has(uid);
  const brought = broughtBy(view.drawing, uid).size;
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="small"
        kind="primary"
        icon={Expand}
        isBusy={expansion.isBusy}
        onClick={() => expansion.expand(uid)}
      >
        Expand
      </Button>
      <Button
        size="small"
        icon={Shrink}
        disabled={brought === 0}
        title={`Removes the ${formatCount(brought)} that expanding it brought`}
        onClick={() => editor.collapse(uid)}
      >
        Collapse
      </Button>
      <Button
        size="small"
        icon={isPinned ? PinOff : Pin}
        onClick={() => editor.setPinned(uid, !isPinned)}
      >
        {isPinned ? 'Unpin' : 'Pin'}
      </Button>
      <Button size="small" icon={Trash2} onClick={() => editor.removeNode(uid)}>
        Remove
      </Button>
      <Link to="/node/$uid" params={{ uid }} className={buttonClasses('plain', 'small')}>
        Open page
      </Link>
      {node !== undefined && <EditBeside node={node} page="/graph" kind="plain" />}
    </div>
  );
}

interface EdgeGroupsProps {
  readonly uid: string;
  readonly groups: readonly EdgeGroup[];
  readonly expansion: Expansion;
  readonly stepSize: number;
}

function EdgeGroups({ uid, groups, expansion, stepSize }: EdgeGroupsProps) {
  if (groups.length === 0) return <p className="mt-3 text-muted">It has no edges.</p>;
  return (
    <ul aria-label="Edges by type" className="mt-3 border-t">
      {groups.map((group) => {
        const { direction, edge, count, drawn } = group;
        const Icon = direction === 'out' ? ArrowRight : ArrowLeft;
        const left = Math.max(0, count - drawn);
        return (
          <li key={`${direction} ${edge}`} className="flex items-center gap-2 border-b py-1.5">
            <Icon className="size-4 shrink-0 text-muted" aria-hidden />
            <span className="min-w-0 flex-1 truncate" title={edge}>
              {edge}{' '}
              <span className="sr-only">{direction === 'out' ? 'outgoing' : 'incoming'}</span>
            </span>
            <span className="text-[13px] whitespace-nowrap text-muted tabular-nums">
              {formatCount(drawn)} of {formatCount(count)}
            </span>
            <Button
              size="small"
              disabled={left === 0 || expansion.isBusy}
              aria-label={`${moreLabel(left, stepSize)} by ${edge}, ${
                direction === 'out' ? 'outgoing' : 'incoming'
              }`}
              onClick={() => expansion.expand(uid, group)}
            >
              {moreLabel(left, stepSize)}
            </Button>
          </li>
        );
      })}
    </ul>
  );
}

function moreLabel(left: number, stepSize: number): string {
  return left === 0 ? 'All shown' : `Show ${formatCount(Math.min(left, stepSize))}`;
}

function NodeFields({ node }: { readonly node: NodeObject }) {
  const fields = fieldsOf(node).slice(0, FIELDS_MAX);
  return (
    <dl className="mt-3 flex max-h-80 flex-col gap-2 overflow-y-auto" tabIndex={0}>
      {fields.map(([name, value]) => (
        <div key={name}>
          <dt className="text-[13px] text-muted">{name}</dt>
          <dd className="break-words">{textOfValue(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function textOfValue(value: unknown): string {
  const isTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
  const flat = isTexts ? value.join(', ') : value;
  const text = typeof flat === 'string' ? flat : JSON.stringify(flat);
  return text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX)}…` : text;
}
