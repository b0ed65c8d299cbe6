import type { EdgeObject, Neighbor } from '@trellis/client/system-endpoints.ts';
import type { NodeRecordDocument } from '@trellis/contract/shapes/node-write.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Link2, Unlink2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { labelOf } from '../../api/node-label.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { formatCount } from '../../ui/format.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { cellText } from './cell-text.ts';
import { type DataEdge, type DataType, linksQuery, NEIGHBORS_TAKE } from './data-queries.ts';
import { LinkDialog } from './link-dialog.tsx';
import { useChangedNodes } from './use-saved-record.ts';

interface RecordLinksProps {
  readonly record: NodeRecordDocument;
  readonly types: readonly DataType[];
  readonly edges: readonly DataEdge[];
}

type Group = NodeRecordDocument['edges'][number];

const GROUPS_SHOWN = 5;
const STEP = 20;

/** What a node is linked to, by type of edge; whoever may adds and removes links. */
export function RecordLinks({ record, types, edges }: RecordLinksProps) {
  const { node, mayWrite } = record;
  const [isAdding, setIsAdding] = useState(false);
  const [shown, setShown] = useState(GROUPS_SHOWN);
  const onChanged = useChangedNodes();
  const groups = record.edges.filter((group) => !isOtherName(group, record.edges, edges));
  return (
    <Card
      title="Links"
      actions={
        mayWrite &&
        edges.length > 0 && (
          <Button size="small" icon={Link2} onClick={() => setIsAdding(true)}>
            Add link
          </Button>
        )
      }
    >
      {groups.length === 0 && <p className="text-muted">It is linked to nothing.</p>}
      <div className="flex flex-col gap-3">
        {groups.slice(0, shown).map((group) => (
          <LinkGroup
            key={`${group.direction} ${group.edge}`}
            {...{ group, types, mayWrite }}
            uid={node.UID}
          />
        ))}
      </div>
      <ShowMore take={shown} total={groups.length} step={STEP} onTake={setShown} />
      <LinkDialog
        isOpen={isAdding}
        onClose={() => setIsAdding(false)}
        title={`Link ${labelOf(node)}`}
        edges={edges}
        preferred={groups.find(({ direction }) => direction === 'out')?.edge}
        onLink={async (link) => {
          await client.nodes.changeLinks(node.UID, { add: [link] });
          toastDone('The link is added');
          await onChanged();
        }}
      />
    </Card>
  );
}

/** An incoming edge that is shown by the name that it has at this end. */
function isOtherName(
  { edge, direction }: Group,
  groups: readonly Group[],
  edges: readonly DataEdge[],
): boolean {
  if (direction === 'out') return false;
  const inverse = edges.find(({ type }) => type === edge)?.inverse;
  return groups.some((other) => other.direction === 'out' && other.edge === inverse);
}

interface LinkGroupProps extends Pick<RecordLinksProps, 'types'> {
  readonly uid: string;
  readonly group: Group;
  readonly mayWrite: boolean;
}

function LinkGroup({ uid, group, types, mayWrite }: LinkGroupProps) {
  const { edge, direction, count } = group;
  const [take, setTake] = useState(NEIGHBORS_TAKE);
  const links = useQuery(linksQuery(uid, edge, direction, take));
  const onChanged = useChangedNodes();
  const remove = useMutation({
    mutationFn: ({ node }: Neighbor) => {
      const end = { uid: node.UID };
      const link = direction === 'out' ? { edge, to: end } : { edge, from: end };
      return client.nodes.changeLinks(uid, { remove: [link] });
    },
    onSuccess: async () => {
      toastDone('The link is removed');
      await onChanged();
    },
    onError: (error) => toastError('The link was not removed', error),
  });
  // The right to write the node that an edge begins at.
  const mayRemove = ({ node }: Neighbor): boolean =>
    direction === 'out' ? mayWrite : types.some((one) => one.type === node.Type && one.mayWrite);
  const name = direction === 'out' ? edge : `${edge}, incoming`;
  return (
    <div>
      <h3 className="text-[13px] text-muted">
        {name} <span className="tabular-nums">{formatCount(count)}</span>
      </h3>
      <QueryView query={links} errorTitle="The links could not be read" rows={2}>
        {({ items, total }) => (
          <>
            <ul aria-label={name} className="divide-y">
              {items.map((neighbor) => (
                <li key={neighbor.node.UID} className="flex items-start gap-2 py-1">
                  <LinkText neighbor={neighbor} />
                  {mayRemove(neighbor) && (
                    <IconButton
                      icon={Unlink2}
                      size="small"
                      label={`Remove the link to ${labelOf(neighbor.node)}`}
                      disabled={remove.isPending}
                      onClick={() => remove.mutate(neighbor)}
                    />
                  )}
                </li>
              ))}
            </ul>
            <ShowMore take={take} total={total} step={STEP} onTake={setTake} />
          </>
        )}
      </QueryView>
    </div>
  );
}

const EDGE_HEAD: ReadonlySet<string> = new Set(['type', 'from', 'to', 'timestamp']);

function LinkText({ neighbor: { node, edge } }: { readonly neighbor: Neighbor }) {
  const told = textOfEdge(edge);
  return (
    <div className="min-w-0 flex-1 py-0.5">
      <Link
        to="/data/{-$type}"
        params={{ type: node.Type }}
        search={{ node: node.UID }}
        className="text-accent wrap-anywhere hover:underline"
      >
        <bdi>{labelOf(node)}</bdi>
      </Link>{' '}
      <span className="text-[13px] text-muted">{node.Type}</span>
      {told !== '' && <p className="text-[13px] wrap-anywhere text-muted">{told}</p>}
    </div>
  );
}

function textOfEdge(edge: EdgeObject): string {
  return Object.entries(edge)
    .filter(([field]) => !EDGE_HEAD.has(field))
    .map(([field, value]) => `${field}: ${cellText(value, undefined)}`)
    .join(', ');
}
