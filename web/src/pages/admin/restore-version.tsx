import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CodeChange } from '@trellis/contract/shapes/code-history.ts';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { refreshMigrations } from './migrations/migration-queries.ts';
import { refreshCode } from './refresh-code.ts';

interface RestoreVersionProps extends Pick<CodeChange, 'name' | 'version'> {
  /** Endpoints have a page for it. */
  readonly kind: 'migration' | 'module';
}

/** The way back to a version of code, also of code that is deleted. */
export function RestoreVersion({ kind, name, version }: RestoreVersionProps) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const restore = useMutation({
    mutationFn: () => client.codeHistory.restore(kind, name, { version }),
    onSuccess: (restored) =>
      toastDone(`Version ${version} is restored`, `As version ${restored.version}`),
    onError: (error) => toastError('The version was not restored', error),
    onSettled: async () => {
      setIsAsking(false);
      await Promise.all([refreshMigrations(queries), refreshCode(queries)]);
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
        title={`Restore version ${version} of the ${kind} “${name}”?`}
        action="Restore"
        isBusy={restore.isPending}
        onClose={() => setIsAsking(false)}
        onConfirm={() => restore.mutate()}
      >
        {FOLLOWS[kind]}
      </ConfirmDialog>
    </>
  );
}

const FOLLOWS = {
  migration:
    'Its code and settings become a new version. Nothing is run, and how it ran stays; one that was deleted is pending.',
  module: 'Its code becomes a new version, and what imports it is checked again.',
} as const;
