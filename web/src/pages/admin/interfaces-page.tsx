import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { InterfaceRecord } from '@trellis/contract/shapes/interface.ts';
import { Boxes, Trash2, Upload } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { InterfaceUpload } from './interface-upload.tsx';
import { interfacesQuery } from './interfaces.ts';
import { settingsQuery } from './settings.ts';

export function InterfacesPage() {
  const permission = useChangePermission();
  const interfaces = useQuery(interfacesQuery);
  const [isUploading, setIsUploading] = useState(false);
  const upload = (
    <Button
      kind="primary"
      icon={Upload}
      disabled={!permission.isAllowed}
      title={permission.reason}
      onClick={() => setIsUploading(true)}
    >
      Upload an interface
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Interfaces"
        description="Your own front ends. The chosen one is served at the address of the workspace; the built-in one stays at /trellis/."
        actions={upload}
      />
      <Card isFlush>
        <QueryView query={interfaces} errorTitle="The interfaces could not be read">
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState icon={Boxes} title="No interface was uploaded">
                Build one with the SDK, then upload it here or with{' '}
                <code className="font-mono">trellis interface push</code>.
              </EmptyState>
            ) : (
              <InterfaceTable items={items} isAllowed={permission.isAllowed} />
            )
          }
        </QueryView>
      </Card>
      {isUploading && <InterfaceUpload onClose={() => setIsUploading(false)} />}
    </>
  );
}

/** Choosing what is served, and deleting. */
function useInterfaceChanges(onRemoved: () => void) {
  const queries = useQueryClient();
  const refresh = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: interfacesQuery.queryKey }),
      queries.invalidateQueries({ queryKey: settingsQuery.queryKey }),
    ]);
  const choose = useMutation({
    mutationFn: (name: string | null) => client.workspace.putSettings({ interface: name }),
    onSuccess: (_, name) => {
      toastDone(name === null ? 'The built-in interface is served' : `“${name}” is served now`);
      return refresh();
    },
    onError: (error) => toastError('The interface could not be chosen', error),
  });
  const remove = useMutation({
    mutationFn: (name: string) => client.interfaces.delete(name),
    onSuccess: (_, name) => {
      toastDone(`“${name}” is deleted`);
      onRemoved();
      return refresh();
    },
    onError: (error) => toastError('The interface could not be deleted', error),
  });
  return { choose, remove };
}

interface InterfaceTableProps {
  readonly items: readonly InterfaceRecord[];
  readonly isAllowed: boolean;
}

function InterfaceTable({ items, isAllowed }: InterfaceTableProps) {
  const [leaving, setLeaving] = useState<InterfaceRecord>();
  const { choose, remove } = useInterfaceChanges(() => setLeaving(undefined));
  return (
    <>
      <DataTable
        label="Interfaces"
        rows={items}
        keyOf={({ name }) => name}
        columns={[
          {
            title: 'Name',
            cell: ({ name, chosen }) => (
              <span className="flex items-center gap-2">
                {name} {chosen && <Badge tone="good">Served</Badge>}
              </span>
            ),
          },
          { title: 'Files', isNumber: true, cell: ({ files }) => formatCount(files) },
          { title: 'Size', isNumber: true, isMinor: true, cell: ({ bytes }) => formatBytes(bytes) },
          {
            title: 'Uploaded',
            isMinor: true,
            cell: ({ uploadedAt, uploadedBy }) => (
              <>
                <Time iso={uploadedAt} /> {uploadedBy !== null && `by ${uploadedBy.name}`}
              </>
            ),
          },
          {
            title: 'Actions',
            isTitleHidden: true,
            cell: (row) => (
              <InterfaceActions
                row={row}
                isAllowed={isAllowed}
                isBusy={choose.isPending}
                onChoose={() => choose.mutate(row.chosen ? null : row.name)}
                onDelete={() => setLeaving(row)}
              />
            ),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={`Delete the interface “${leaving?.name ?? ''}”?`}
        action="Delete"
        isBusy={remove.isPending}
        onConfirm={() => leaving !== undefined && remove.mutate(leaving.name)}
      >
        Its files are deleted from this server. It can be uploaded again.
      </ConfirmDialog>
    </>
  );
}

interface InterfaceActionsProps {
  readonly row: InterfaceRecord;
  readonly isAllowed: boolean;
  readonly isBusy: boolean;
  readonly onChoose: () => void;
  readonly onDelete: () => void;
}

function InterfaceActions({ row, isAllowed, isBusy, onChoose, onDelete }: InterfaceActionsProps) {
  return (
    <span className="flex justify-end gap-1">
      <Button size="small" disabled={!isAllowed || isBusy} onClick={onChoose}>
        {row.chosen ? 'Serve the built-in one' : 'Serve'}
      </Button>
      <IconButton
        icon={Trash2}
        size="small"
        label={`Delete ${row.name}`}
        disabled={!isAllowed || row.chosen}
        onClick={onDelete}
      />
    </span>
  );
}
