import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Backup } from '@trellis/contract/shapes/backup.ts';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { formatBytes, formatCount, formatDateTime } from '../../ui/format.ts';
import { Time } from '../../ui/time.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';

interface BackupTableProps {
  readonly backups: readonly Backup[];
  /** One thing is done at a time. */
  readonly isBusy: boolean;
}

export function BackupTable({ backups, isBusy }: BackupTableProps) {
  const [leaving, setLeaving] = useState<Backup>();
  const { verify, remove } = useBackupChanges(() => setLeaving(undefined));
  return (
    <>
      <DataTable
        label="Backups"
        rows={backups}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Backup',
            cell: (row) => (
              <span className="flex items-center gap-2">
                <Time iso={row.createdAt} />
                {row.isEncrypted && <Badge tone="neutral">encrypted</Badge>}
              </span>
            ),
          },
          { title: 'Id', isMinor: true, cell: ({ id }) => <BackupId id={id} /> },
          { title: 'Nodes', isNumber: true, cell: ({ nodes }) => formatCount(nodes) },
          { title: 'Edges', isNumber: true, cell: ({ edges }) => formatCount(edges) },
          { title: 'Size', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
          {
            title: 'New',
            isNumber: true,
            isMinor: true,
            cell: ({ newBytes }) => formatBytes(newBytes),
          },
          {
            title: 'Actions',
            isTitleHidden: true,
            cell: (row) => (
              <BackupActions
                row={row}
                isBusy={isBusy || verify.isPending}
                onVerify={() => verify.mutate(row.id)}
                onDelete={() => setLeaving(row)}
              />
            ),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={`Delete the backup of ${formatDateTime(leaving?.createdAt ?? '')}?`}
        action="Delete"
        isBusy={remove.isPending}
        onConfirm={() => leaving !== undefined && remove.mutate(leaving.id)}
      >
        Data that only this backup uses is deleted with it. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}

interface BackupActionsProps {
  readonly row: Backup;
  readonly isBusy: boolean;
  readonly onVerify: () => void;
  readonly onDelete: () => void;
}

function BackupActions({ row, isBusy, onVerify, onDelete }: BackupActionsProps) {
  const permission = useChangePermission();
  const isDisabled = !permission.isAllowed || isBusy;
  return (
    <span className="flex justify-end gap-1">
      <Button size="small" disabled={isDisabled} title={permission.reason} onClick={onVerify}>
        Verify
      </Button>
      <IconButton
        icon={Trash2}
        size="small"
        label={`Delete the backup of ${formatDateTime(row.createdAt)}`}
        disabled={isDisabled}
        onClick={onDelete}
      />
    </span>
  );
}

function BackupId({ id }: { readonly id: string }) {
  return (
    <span className="flex items-center gap-1">
      <code className="font-mono text-[13px]">{id}</code>
      <CopyButton text={id} label="Copy id" />
    </span>
  );
}

function useBackupChanges(onRemoved: () => void) {
  const queries = useQueryClient();
  const verify = useMutation({
    mutationFn: (id: string) => client.backups.verify(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['jobs'] }),
    onError: (error) => toastError('The verification could not begin', error),
  });
  const remove = useMutation({
    mutationFn: (id: string) => client.backups.delete(id),
    onSuccess: () => {
      toastDone('The backup is deleted');
      onRemoved();
      return queries.invalidateQueries({ queryKey: ['backups'] });
    },
    onError: (error) => toastError('The backup could not be deleted', error),
  });
  return { verify, remove };
}
