import type { NodeAccess } from '@trellis/contract/shapes/access.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useNames } from '../../api/names.ts';
import { useViewer } from '../../api/viewer.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { PrincipalsField } from '../../ui/principals-field.tsx';
import { toastDone } from '../../ui/toast.ts';

/** Teams and users by UID; both empty: the rule of the type holds. */
export type Readers = Pick<NodeAccess, 'teams' | 'users'>;

interface ShareFormProps {
  readonly readers: Readers;
  readonly onClose: () => void;
  readonly onShare: (readers: Readers) => Promise<unknown>;
}

/** Who sees nodes; what is chosen holds once it is saved. */
export function ShareForm({ readers, onClose, onShare }: ShareFormProps) {
  const [teams, setTeams] = useState(readers.teams);
  const [users, setUsers] = useState(readers.users);
  const share = useMutation({ mutationFn: onShare, onSuccess: onClose });
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        share.mutate({ teams, users });
      }}
    >
      <PrincipalsField label="Teams" kind="team" value={teams} onChange={setTeams} />
      <PrincipalsField label="Users" kind="user" value={users} onChange={setUsers} />
      {share.isError && <ErrorPanel title="It was not shared" error={share.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={share.isPending}>
          Save access
        </Button>
      </DialogActions>
    </form>
  );
}

export const SHARE_RULE =
  'Only these teams and users see it, besides owners and administrators. With none, the rule of its type decides.';

interface ShareDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly uid: string;
  readonly label: string;
  readonly access: NodeAccess;
}

/** Whom one node is restricted to. */
export function ShareDialog({ isOpen, onClose, uid, label, access }: ShareDialogProps) {
  const queries = useQueryClient();
  const isAdmin = useViewer()?.seesAdministration === true;
  const nameOf = useNames(access.owners);
  const { owners } = access;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={`Share ${label}`} description={SHARE_RULE}>
      <ShareForm
        readers={access}
        onClose={onClose}
        onShare={async (readers) => {
          await client.access.putNode(uid, readers);
          toastDone('The access of the node is changed');
          await queries.invalidateQueries({ queryKey: ['access'] });
        }}
      />
      <p className="mt-4 flex flex-wrap gap-x-4 gap-y-1 border-t pt-3 text-muted">
        <span className="wrap-anywhere">
          {owners.length === 0 ? 'Nobody owns it.' : `Owned by ${owners.map(nameOf).join(', ')}.`}
        </span>
        {isAdmin && (
          <Link
            to="/manage/access/explain"
            search={{ node: uid }}
            className="text-accent underline"
          >
            Why does somebody see it?
          </Link>
        )}
      </p>
    </Dialog>
  );
}
