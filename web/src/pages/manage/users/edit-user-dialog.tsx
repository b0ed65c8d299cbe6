import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { Role } from '@trellis/contract/rights.ts';
import type { UserNode } from '@trellis/contract/shapes/user.ts';
import { client } from '../../../api/client.ts';
import { nameOf } from '../../../api/names.ts';
import { useViewer, type Viewer } from '../../../api/viewer.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { PermissionNotice } from '../permission-notice.tsx';
import { rolesOf } from './user-account.ts';
import { IdentityFields, RightsFields } from './user-fields.tsx';
import { changeOf, formOf, type UserForm, type UserFormValues } from './user-form.ts';
import { refreshUsers, userQuery } from './user-queries.ts';

interface EditUserDialogProps {
  readonly uid: string;
  readonly onClose: () => void;
}

export function EditUserDialog({ uid, onClose }: EditUserDialogProps) {
  const viewer = useViewer();
  const query = useQuery(userQuery(uid, viewer?.seesAdministration === true));
  const title = query.data === undefined ? 'User' : nameOf(query.data);
  return (
    <Dialog isOpen keepsOpen onClose={onClose} title={title}>
      <QueryView query={query} errorTitle="The user could not be read">
        {(user) =>
          viewer && <EditUserForm key={user.UID} user={user} viewer={viewer} onClose={onClose} />
        }
      </QueryView>
    </Dialog>
  );
}

interface EditUserFormProps {
  readonly user: UserNode;
  readonly viewer: Viewer;
  readonly onClose: () => void;
}

function EditUserForm({ user, viewer, onClose }: EditUserFormProps) {
  const queries = useQueryClient();
  const permission = useChangePermission('users');
  // The user may be read again, with somebody else's changes, while the form is filled in.
  const [base] = useState(() => formOf(user));
  const form: UserForm = useForm<UserFormValues>({ defaultValues: base });
  const { isSubmitting } = form.formState;
  const save = async (values: UserFormValues) => {
    await client.users.update(user.UID, changeOf(base, values));
    await refreshUsers(queries);
    toastDone('The user is changed', nameOf(user));
    onClose();
  };
  return (
    <ServerForm form={form} onSend={save}>
      <PermissionNotice permission={permission} />
      <p className="text-muted">
        Signs in as <bdi className="font-medium text-ink">{user.UserName}</bdi>.
      </p>
      <fieldset className="contents" disabled={!permission.isAllowed}>
        <IdentityFields form={form} />
        <RightsFields
          form={form}
          accountReason={accountReasonOf(viewer, user)}
          roleReason={(role) => roleReasonOf(viewer, user, role)}
        />
      </fieldset>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={isSubmitting} disabled={!permission.isAllowed}>
          Save
        </Button>
      </DialogActions>
    </ServerForm>
  );
}

const NOT_SHOWN = 'Only administrators see and change this.';

/** As the server decides it (open-shapes, section 3: nobody grants more than they hold). */
function accountReasonOf(viewer: Viewer, user: UserNode): string | undefined {
  if (!viewer.seesAdministration) return NOT_SHOWN;
  return viewer.uid === user.UID ? 'You cannot change this for yourself.' : undefined;
}

function roleReasonOf(viewer: Viewer, user: UserNode, role: Role): string | undefined {
  if (!viewer.seesAdministration) return NOT_SHOWN;
  const isOwn = viewer.uid === user.UID;
  return isOwn && !rolesOf(user).includes(role) ? 'You cannot grant yourself a role.' : undefined;
}
