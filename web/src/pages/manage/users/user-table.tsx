import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ArrowLeftRight, Ellipsis, KeyRound, UserCheck, UserX } from 'lucide-react';
import type { UserNode } from '@trellis/contract/shapes/user.ts';
import { client } from '../../../api/client.ts';
import { nameOf } from '../../../api/names.ts';
import { useViewer } from '../../../api/viewer.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import {
  accountOf,
  ACCOUNTS,
  isActive,
  isKeptByScim,
  ROLE_CHOICES,
  rolesOf,
} from './user-account.ts';
import { refreshUsers } from './user-queries.ts';

/** What can be done for a user, apart from changing them. */
export interface UserAction {
  readonly kind: 'deactivate' | 'reset-link';
  readonly user: UserNode;
}

interface UserTableProps {
  readonly users: readonly UserNode[];
  readonly onEdit: (user: UserNode) => void;
  readonly onAction: (action: UserAction) => void;
}

export function UserTable({ users, onEdit, onAction }: UserTableProps) {
  const viewer = useViewer();
  const seesAll = viewer?.seesAdministration === true;
  const canManage = viewer?.managesUsers === true || seesAll;
  return (
    <DataTable
      label="Users"
      rows={users}
      keyOf={(user) => user.UID}
      columns={[
        NAME,
        { title: 'Address', isMinor: true, cell: ({ Email }) => Email ?? '' },
        ...(seesAll ? [ACCOUNT, STATE] : []),
        ...(canManage
          ? [
              {
                title: 'Actions',
                isTitleHidden: true,
                cell: (user: UserNode) => (
                  <div className="flex justify-end gap-1">
                    <Button
                      size="small"
                      aria-label={`Edit ${nameOf(user)}`}
                      onClick={() => onEdit(user)}
                    >
                      Edit
                    </Button>
                    {seesAll && <UserMenu user={user} onAction={onAction} />}
                  </div>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}

const NAME: Column<UserNode> = {
  title: 'Name',
  cell: (user) => (
    <div className="min-w-36">
      <bdi className="font-medium break-words">{nameOf(user)}</bdi>
      {isKeptByScim(user) && <Badge>SCIM</Badge>}
      {user.UserName !== nameOf(user) && (
        <div className="text-[13px] text-muted">
          <bdi>{user.UserName}</bdi>
        </div>
      )}
    </div>
  ),
};

const ACCOUNT: Column<UserNode> = {
  title: 'Account',
  cell: (user) => {
    const account = accountOf(user);
    const roles = account === 'user' || account === 'guest' ? rolesOf(user) : [];
    return (
      <span className="flex flex-wrap gap-1">
        <Badge tone={account === 'admin' ? 'info' : 'neutral'}>
          {ACCOUNTS.find(({ value }) => value === account)?.label}
        </Badge>
        {ROLE_CHOICES.filter(({ value }) => roles.includes(value)).map(({ value, label }) => (
          <Badge key={value}>{label}</Badge>
        ))}
      </span>
    );
  },
};

const STATE: Column<UserNode> = {
  title: 'State',
  cell: (user) =>
    isActive(user) ? <Badge tone="good">Active</Badge> : <Badge tone="danger">Deactivated</Badge>,
};

interface UserMenuProps {
  readonly user: UserNode;
  readonly onAction: (action: UserAction) => void;
}

function UserMenu({ user, onAction }: UserMenuProps) {
  const { isAllowed } = useChangePermission();
  const viewer = useViewer();
  const queries = useQueryClient();
  const activate = useMutation({
    mutationFn: () => client.users.update(user.UID, { active: true }),
    onSuccess: async () => {
      await refreshUsers(queries);
      toastDone(`${nameOf(user)} can sign in again`);
    },
    onError: (error) => toastError('The user was not activated', error),
  });
  const isKept = isKeptByScim(user);
  const handOver = useMutation({
    mutationFn: () => client.users.update(user.UID, { source: isKept ? null : 'scim' }),
    onSuccess: async () => {
      await refreshUsers(queries);
      const keeper = isKept ? 'people here' : 'the identity provider';
      toastDone(`${nameOf(user)} is kept by ${keeper} from now on`);
    },
    onError: (error) => toastError('The user was not handed over', error),
  });
  const isSelf = user.UID === viewer?.uid;
  return (
    <Menu
      trigger={<IconButton size="small" icon={Ellipsis} label={`More for ${nameOf(user)}`} />}
      items={[
        {
          label: 'Password reset link',
          icon: KeyRound,
          isDisabled: !isAllowed || !isActive(user),
          onSelect: () => onAction({ kind: 'reset-link', user }),
        },
        {
          label: isKept ? 'Take back from SCIM' : 'Hand over to SCIM',
          icon: ArrowLeftRight,
          isDisabled: !isAllowed,
          onSelect: () => handOver.mutate(),
        },
        isActive(user)
          ? {
              label: 'Deactivate',
              icon: UserX,
              isDanger: true,
              isDisabled: !isAllowed || isSelf,
              ...(isSelf && { hint: 'You cannot deactivate yourself.' }),
              onSelect: () => onAction({ kind: 'deactivate', user }),
            }
          : {
              label: 'Activate again',
              icon: UserCheck,
              isDisabled: !isAllowed,
              onSelect: () => activate.mutate(),
            },
      ]}
    />
  );
}
