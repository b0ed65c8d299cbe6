import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UserNode } from '@trellis/contract/shapes/user.ts';
import { client } from '../../../api/client.ts';
import { nameOf } from '../../../api/names.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { refreshUsers } from './user-queries.ts';

interface DeactivateUserDialogProps {
  readonly user: UserNode;
  readonly onClose: () => void;
}

export function DeactivateUserDialog({ user, onClose }: DeactivateUserDialogProps) {
  const queries = useQueryClient();
  const deactivate = useMutation({
    mutationFn: () => client.users.deactivate(user.UID),
    onSuccess: async () => {
      await refreshUsers(queries);
      toastDone(`${nameOf(user)} is deactivated`);
      onClose();
    },
    onError: (error) => toastError('The user was not deactivated', error),
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Deactivate ${nameOf(user)}?`}
      action="Deactivate"
      isBusy={deactivate.isPending}
      onClose={onClose}
      onConfirm={() => deactivate.mutate()}
    >
      Their sessions end at once, and tokens that act as them work no more. What they own stays;
      they can be activated again.
    </ConfirmDialog>
  );
}
