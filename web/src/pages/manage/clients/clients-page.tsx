import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plug } from 'lucide-react';
import { useState } from 'react';
import type { OAuthClientRecord } from '@trellis/contract/shapes/oauth.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { atSkip } from '../../../app/search-params.ts';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { PermissionNotice } from '../permission-notice.tsx';
import { clientsQuery } from './client-queries.ts';
import { ClientTable } from './client-table.tsx';
import { ClientUsersDialog } from './client-users-dialog.tsx';
import { WithdrawClientDialog } from './withdraw-client-dialog.tsx';

const route = getRouteApi('/workspace/manage/access/clients');

/** Programs that act as users over the Model Context Protocol (docs/mcp.md). */
export function ClientsPage() {
  const { skip = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const [shown, setShown] = useState<OAuthClientRecord>();
  const [withdrawn, setWithdrawn] = useState<OAuthClientRecord>();
  const permission = useChangePermission();
  const query = useQuery(clientsQuery(skip));
  return (
    <>
      <PageHeader
        title="MCP clients"
        description="Programs that users have let in to read and search here with their rights."
      />
      <PermissionNotice permission={permission} />
      <QueryView query={query} errorTitle="The clients could not be read">
        {(list) => (
          <Card isFlush>
            {list.total === 0 ? (
              <EmptyState icon={Plug} title="No clients yet">
                A program appears here once a user has let it in, or an administrator has registered
                it.
              </EmptyState>
            ) : (
              <ClientTable
                clients={list.items}
                isAllowed={permission.isAllowed}
                onShow={setShown}
                onWithdraw={setWithdrawn}
              />
            )}
            <Pager
              {...list}
              shown={list.items.length}
              onSkip={(next) => void navigate({ search: atSkip(next) })}
            />
          </Card>
        )}
      </QueryView>
      {shown !== undefined && (
        <ClientUsersDialog shown={shown} onClose={() => setShown(undefined)} />
      )}
      {withdrawn !== undefined && (
        <WithdrawClientDialog withdrawn={withdrawn} onClose={() => setWithdrawn(undefined)} />
      )}
    </>
  );
}
