import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CodeChange } from '@trellis/contract/shapes/code-history.ts';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { refreshMigrations } from './migration-queries.ts';

/** The way back to a version of a migration, also of one that is deleted. */
export function RestoreMigration({ name, version }: Pick<CodeChange, 'name' | 'version'>) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const restore = useMutation({
    mutationFn: () => client.codeHistory.restore('migration', name, { version }),
    onSuccess: (migration) =>
      toastDone(`Version ${version} is restored`, `As version ${migration.version}`),
    onError: (error) => toastError('The version was not restored', error),
    onSettled: async () => {
      setIsAsking(false);
      await refreshMigrations(queries);
    },
  });
  return (
    <>
      <Button
        size="small"
        disabled={!permission.isAllowed}
        title={permission.reason}
        aria-label={`Restore version ${version} of ${name}`}
        onClick={() => setIsAsking(true)}
      >
        Restore
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Restore version ${version} of the migration “${name}”?`}
        action="Restore"
        isBusy={restore.isPending}
        onClose={() => setIsAsking(false)}
        onConfirm={() => restore.mutate()}
      >
        Its code and settings become a new version. Nothing is run, and how it ran stays; one that
        was deleted is pending.
      </ConfirmDialog>
    </>
  );
}
