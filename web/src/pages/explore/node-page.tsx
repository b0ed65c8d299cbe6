import { TrellisError } from '@trellis/client/trellis-error.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { EyeOff } from 'lucide-react';
import { labelOf } from '../../api/node-label.ts';
import { buttonClasses } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { NodeActions } from './node/node-actions.tsx';
import { NodeFiles } from './node/node-files.tsx';
import { NodeFields } from './node/node-fields.tsx';
import { NodeHistory } from './node/node-history.tsx';
import { NodeNeighbors } from './node/node-neighbors.tsx';
import { nodeQuery } from './node/node-queries.ts';
import { SimilarNodes } from './node/similar-nodes.tsx';

const route = getRouteApi('/workspace/node/$uid');

/** One node, as the viewer may see it. */
export function NodePage() {
  const { uid } = route.useParams();
  const { data: node, error, isError, refetch } = useQuery(nodeQuery(uid));
  if (isError && error instanceof TrellisError && error.status === 404) return <NoSuchNode />;
  if (isError) {
    return (
      <>
        <PageHeader title="Node" />
        <ErrorPanel title="The node could not be read" error={error} onRetry={refetch} />
      </>
    );
  }
  if (node === undefined) {
    return (
      <>
        <PageHeader title="Node" />
        <Skeleton rows={8} />
      </>
    );
  }
  return (
    <div className="max-w-[100rem]">
      <PageHeader title={labelOf(node)} actions={<NodeActions node={node} />} />
      <dl className="-mt-3 mb-5 flex flex-wrap items-center gap-x-5 gap-y-1 text-muted">
        <Fact name="Type">
          <Link to="/" search={{ type: [node.Type] }} className="text-accent hover:underline">
            {node.Type}
          </Link>
        </Fact>
        {node.Id !== undefined && (
          <Fact name="Key">
            <bdi className="line-clamp-2 text-ink wrap-anywhere">{node.Id}</bdi>
          </Fact>
        )}
        <Fact name="Time">
          <Time iso={node.Timestamp} isExact />
        </Fact>
        <Fact name="UID">
          <code className="font-mono text-[13px] wrap-anywhere">{node.UID}</code>
          <CopyButton text={node.UID} label="Copy UID" />
        </Fact>
      </dl>
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,4fr)_minmax(0,5fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="Fields">
            <NodeFields node={node} />
          </Card>
          {!node.Type.startsWith('_') && <NodeFiles key={`files of ${uid}`} uid={uid} />}
          {!node.Type.startsWith('_') && (
            <NodeHistory key={`history of ${uid}`} uid={uid} type={node.Type} />
          )}
          <SimilarNodes key={uid} uid={uid} />
        </div>
        <NodeNeighbors uid={uid} />
      </div>
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-1.5 gap-y-1">
      <dt className="sr-only">{name}</dt>
      <dd className="contents">{children}</dd>
    </div>
  );
}

/** The same for both: whether there is a node that the viewer may not see is not told. */
function NoSuchNode() {
  return (
    <>
      <PageHeader title="Node" />
      <EmptyState
        icon={EyeOff}
        title="There is no such node, or you may not see it"
        action={
          <Link to="/" className={buttonClasses()}>
            Go to search
          </Link>
        }
      >
        It may have been deleted, or its link is incomplete. If others can see it, ask an
        administrator for access.
      </EmptyState>
    </>
  );
}
