import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import {
  FurtherProviderDialog,
  settingsOf,
  type FurtherProvider,
} from './further-provider-dialog.tsx';
import { llmStateQuery, providersQuery } from './provider-queries.ts';
import { StateBadge } from './state-badge.tsx';

interface FurtherProvidersCardProps {
  readonly providers: readonly FurtherProvider[];
  readonly isAllowed: boolean;
}

/** What is open in front of the list. */
type Opened =
  | { readonly kind: 'add' }
  | { readonly kind: 'change' | 'remove'; readonly provider: FurtherProvider };

/** Servers that have other models than the first. */
export function FurtherProvidersCard({ providers, isAllowed }: FurtherProvidersCardProps) {
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  return (
    <Card
      title="Further providers of chat"
      description="Each has its own models; the daily limit of a user counts for all of them."
      actions={
        <Button disabled={!isAllowed} onClick={() => setOpened({ kind: 'add' })}>
          <Plus className="size-4" aria-hidden />
          Add provider
        </Button>
      }
    >
      {providers.length === 0 ? (
        <p className="text-muted">None: the first provider has all models.</p>
      ) : (
        <ProviderTable {...{ providers, isAllowed }} onOpen={setOpened} />
      )}
      {opened !== undefined && opened.kind !== 'remove' && (
        <FurtherProviderDialog
          all={providers}
          existing={opened.kind === 'add' ? undefined : opened.provider}
          onClose={close}
        />
      )}
      {opened?.kind === 'remove' && (
        <RemoveDialog all={providers} name={opened.provider.name} onClose={close} />
      )}
    </Card>
  );
}

interface ProviderTableProps extends FurtherProvidersCardProps {
  readonly onOpen: (opened: Opened) => void;
}

function ProviderTable({ providers, isAllowed, onOpen }: ProviderTableProps) {
  const { data: state } = useQuery(llmStateQuery);
  const columns: readonly Column<FurtherProvider>[] = [
    { title: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
    {
      title: 'Address',
      isMinor: true,
      cell: ({ baseUrl, hasApiKey }) => (
        <span className="wrap-anywhere">
          {baseUrl} <span className="text-muted">({hasApiKey ? 'with' : 'without'} a key)</span>
        </span>
      ),
    },
    {
      title: 'Models',
      cell: ({ models }) => <bdi className="wrap-anywhere">{models.join(', ')}</bdi>,
    },
    {
      title: 'State',
      cell: ({ name }) => (
        <StateBadge status={state?.further.find((one) => one.name === name)?.status ?? 'idle'} />
      ),
    },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (provider) => (
        <span className="flex justify-end">
          <IconButton
            icon={Pencil}
            size="small"
            label={`Change ${provider.name}`}
            disabled={!isAllowed}
            onClick={() => onOpen({ kind: 'change', provider })}
          />
          <IconButton
            icon={Trash2}
            size="small"
            label={`Remove ${provider.name}`}
            disabled={!isAllowed}
            onClick={() => onOpen({ kind: 'remove', provider })}
          />
        </span>
      ),
    },
  ];
  return (
    <DataTable
      label="Further providers"
      columns={columns}
      rows={providers}
      keyOf={({ name }) => name}
    />
  );
}

interface RemoveDialogProps {
  readonly all: readonly FurtherProvider[];
  readonly name: string;
  readonly onClose: () => void;
}

function RemoveDialog({ all, name, onClose }: RemoveDialogProps) {
  const queries = useQueryClient();
  const others = all.filter((one) => one.name !== name).map(settingsOf);
  const remove = useMutation({
    mutationFn: () => client.aiProviders.put({ furtherChat: others }),
    onSuccess: async (saved) => {
      queries.setQueryData(providersQuery.queryKey, saved);
      await queries.invalidateQueries({ queryKey: llmStateQuery.queryKey });
      toastDone('The provider is removed', name);
      onClose();
    },
    onError: (error) => toastError('The provider was not removed', error),
  });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Remove the provider “${name}”?`}
      action="Remove"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      Its key is deleted, and its models can no longer be used.
    </ConfirmDialog>
  );
}
