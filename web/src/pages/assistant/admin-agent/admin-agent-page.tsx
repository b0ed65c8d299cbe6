import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { useChangePermission } from '../../../app/permissions.ts';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { PermissionNotice } from '../../manage/permission-notice.tsx';
import { sessionQuery } from './admin-agent-queries.ts';
import { AgentSession } from './agent-session.tsx';
import { NewSessionButton, SessionList } from './session-list.tsx';

const route = getRouteApi('/workspace/assistant/admin-agent/{-$id}');

/**
 * Conversations about the workspace itself: what the agent proposes is done when an administrator
 * approves it.
 */
export function AdminAgentPage() {
  const { id } = route.useParams();
  const permission = useChangePermission();
  return (
    <>
      <PageHeader
        title="Admin agent"
        description="It reads definitions and never data, and proposes changes of endpoints, tools, agents, the schema and settings. Nothing is changed before you approve it."
        actions={<NewSessionButton isAllowed={permission.isAllowed} />}
      />
      <PermissionNotice permission={permission} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[16rem_minmax(0,1fr)]">
        <SessionList openId={id} />
        {id === undefined ? (
          <Card>
            <EmptyState
              icon={Bot}
              title="No session is open"
              action={<NewSessionButton isAllowed={permission.isAllowed} />}
            >
              Start one, and say what the workspace should do: “An endpoint that lists the newest
              books”, “A tool for it, with a good description”.
            </EmptyState>
          </Card>
        ) : (
          <KnownSession key={id} id={id} isAllowed={permission.isAllowed} />
        )}
      </div>
    </>
  );
}

interface KnownSessionProps {
  readonly id: string;
  readonly isAllowed: boolean;
}

function KnownSession({ id, isAllowed }: KnownSessionProps) {
  const session = useQuery(sessionQuery(id));
  return (
    <QueryView query={session} errorTitle="The session could not be read" rows={8}>
      {(data) => <AgentSession session={data} isAllowed={isAllowed} />}
    </QueryView>
  );
}
