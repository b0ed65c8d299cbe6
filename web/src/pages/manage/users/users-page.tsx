import { useQuery } from '@tanstack/react-query';
import { atSkip } from '../../../app/search-params.ts';
import { getRouteApi } from '@tanstack/react-router';
import { UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import { useChangePermission } from '../../../app/permissions.ts';
import { useRequestedAction } from '../../../app/requested-action.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ListSearch } from '../../../ui/list-search.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { PermissionNotice } from '../permission-notice.tsx';
import { CreateUserDialog } from './create-user-dialog.tsx';
import { DeactivateUserDialog } from './deactivate-user-dialog.tsx';
import { EditUserDialog } from './edit-user-dialog.tsx';
import { ResetLinkDialog } from './reset-link-dialog.tsx';
import { usersQuery } from './user-queries.ts';
import { type UserAction, UserTable } from './user-table.tsx';

const route = getRouteApi('/workspace/manage/access/users');

/** Who can sign in, and what each of them is (open-shapes, section 3). */
export function UsersPage() {
  const [isCreating, setIsCreating] = useState(false);
  const [action, setAction] = useState<UserAction>();
  const managing = useChangePermission('users');
  const administering = useChangePermission();
  useRequestedAction('add user', () => setIsCreating(true));
  const end = () => setAction(undefined);
  return (
    <>
      <PageHeader
        title="Users"
        description="Who can sign in, and what each of them may do."
        actions={
          <Button
            kind="primary"
            icon={UserPlus}
            disabled={!administering.isAllowed}
            title={administering.reason}
            onClick={() => setIsCreating(true)}
          >
            Add user
          </Button>
        }
      />
      <PermissionNotice permission={managing} />
      <UserList onAction={setAction} />
      <OpenUser />
      {isCreating && <CreateUserDialog onClose={() => setIsCreating(false)} />}
      {action?.kind === 'deactivate' && <DeactivateUserDialog user={action.user} onClose={end} />}
      {action?.kind === 'reset-link' && <ResetLinkDialog user={action.user} onClose={end} />}
    </>
  );
}

/** The user who stands in the address. */
function OpenUser() {
  const { user } = route.useSearch();
  const navigate = route.useNavigate();
  if (user === undefined) return null;
  const close = () => void navigate({ search: (last) => ({ ...last, user: undefined }) });
  return <EditUserDialog key={user} uid={user} onClose={close} />;
}

function UserList({ onAction }: { readonly onAction: (action: UserAction) => void }) {
  const { query, skip = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const users = useQuery(usersQuery({ query, skip }));
  return (
    <>
      <ListSearch
        label="Find by name or address"
        className="mb-4 max-w-sm"
        query={query ?? ''}
        onSearch={(text) =>
          void navigate({
            search: (last) => ({ ...last, query: text || undefined, skip: undefined }),
          })
        }
      />
      <QueryView query={users} errorTitle="The users could not be read">
        {(list) => (
          <Card isFlush>
            {list.items.length === 0 && skip === 0 ? (
              <EmptyState icon={Users} title="No user matches">
                Search for part of a name or an address.
              </EmptyState>
            ) : (
              <UserTable
                users={list.items}
                onEdit={({ UID }) => void navigate({ search: (last) => ({ ...last, user: UID }) })}
                onAction={onAction}
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
    </>
  );
}
