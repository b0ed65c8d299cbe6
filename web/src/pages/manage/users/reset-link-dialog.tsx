import { useMutation } from '@tanstack/react-query';
import type { UserNode } from '@trellis/contract/shapes/user.ts';
import { client } from '../../../api/client.ts';
import { nameOf } from '../../../api/names.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { formatDateTime } from '../../../ui/format.ts';
import { ShownOnce } from '../../../ui/shown-once.tsx';

interface ResetLinkDialogProps {
  readonly user: UserNode;
  readonly onClose: () => void;
}

export function ResetLinkDialog({ user, onClose }: ResetLinkDialogProps) {
  const make = useMutation({ mutationFn: () => client.users.createPasswordResetLink(user.UID) });
  return (
    <Dialog
      isOpen
      keepsOpen
      onClose={onClose}
      title={`Password reset link for ${nameOf(user)}`}
      description="The user sets a new password with this link. It works once."
    >
      {make.data === undefined ? (
        <>
          {make.isError && <ErrorPanel title="The link was not made" error={make.error} />}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="primary" isBusy={make.isPending} onClick={() => make.mutate()}>
              Make the link
            </Button>
          </DialogActions>
        </>
      ) : (
        <>
          <ResetLink link={make.data.link} expiresAt={make.data.expiresAt} />
          <DialogActions>
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

interface ResetLinkProps {
  readonly link: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

export function ResetLink({ link, expiresAt }: ResetLinkProps) {
  return (
    <ShownOnce
      label="Reset link"
      value={link}
      warning={`Copy the link now and hand it to the user: it cannot be read again. It works until ${formatDateTime(expiresAt)}.`}
    />
  );
}
