import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Eye } from 'lucide-react';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { client } from '../../../api/client.ts';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { NodePicker } from '../../../ui/node-picker.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { type UserOrTeam, UserPicker } from '../../../ui/user-picker.tsx';
import { Explanation } from './explanation.tsx';
import { NodeAccessCard } from './node-access-card.tsx';

const route = getRouteApi('/workspace/manage/access/explain');

/**
 * Why a user sees a node or does not, and whom the node is restricted to (open-shapes, section 4).
 */
export function ExplainPage() {
  const { node: nodeUid, user: userUid } = route.useSearch();
  const navigate = route.useNavigate();
  const node = useNode(nodeUid);
  const user = useNode(userUid);
  const failed = node.error ?? user.error;
  return (
    <>
      <PageHeader
        title="Why visible?"
        description="Every reason why a user sees a node, or does not see it."
      />
      <div className="mb-4 grid max-w-3xl gap-4 sm:grid-cols-2">
        <NodePicker
          label="Node"
          value={node.data}
          onChange={(next) => void navigate({ search: (last) => ({ ...last, node: next?.UID }) })}
        />
        <UserPicker
          label="User"
          value={user.data && asUser(user.data)}
          onChange={(next) => void navigate({ search: (last) => ({ ...last, user: next?.UID }) })}
        />
      </div>
      {failed !== null && (
        <div className="mb-4">
          <ErrorPanel title="The node or the user could not be read" error={failed} />
        </div>
      )}
      <div className="grid items-start gap-4 xl:grid-cols-2">
        {nodeUid !== undefined && userUid !== undefined ? (
          <Explanation nodeUid={nodeUid} userUid={userUid} />
        ) : (
          <Card>
            <EmptyState icon={Eye} title="Choose a node and a user">
              The answer names every rule that lets the user see the node or prevents it.
            </EmptyState>
          </Card>
        )}
        {node.data !== undefined && <NodeAccessCard key={node.data.UID} node={node.data} />}
      </div>
    </>
  );
}

function useNode(uid: string | undefined) {
  return useQuery({
    queryKey: ['nodes', 'one', uid],
    queryFn: ({ signal }) => client.nodes.get(uid ?? '', { signal }),
    enabled: uid !== undefined,
  });
}

function asUser(node: NodeObject): UserOrTeam {
  return { ...node, Type: '_User' };
}
