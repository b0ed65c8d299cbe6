import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ellipsis } from 'lucide-react';
import type { Webhook, WebhookWithSecret } from '@trellis/contract/shapes/webhook.ts';
import { client } from '../../../api/client.ts';
import { useNames } from '../../../api/names.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { WEBHOOKS_KEY } from './webhook-queries.ts';

interface WebhookTableProps {
  readonly webhooks: readonly Webhook[];
  readonly onEdit: (webhook: Webhook) => void;
  readonly onDelete: (webhook: Webhook) => void;
  readonly onDeliveries: (webhook: Webhook) => void;
  readonly onSecret: (webhook: WebhookWithSecret) => void;
}

const TONES = {
  active: 'good',
  retrying: 'warning',
  paused: 'danger',
  disabled: 'neutral',
} as const;

export function WebhookTable({ webhooks, ...given }: WebhookTableProps) {
  const nameOf = useNames(webhooks.flatMap(({ asUser }) => asUser ?? []));
  return (
    <DataTable
      label="Webhooks"
      rows={webhooks}
      keyOf={({ id }) => id}
      columns={[
        ...columnsOf(nameOf),
        {
          title: 'Active',
          isTitleHidden: true,
          cell: (webhook) => <ActiveSwitch webhook={webhook} />,
        },
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: (webhook) => <Actions webhook={webhook} {...given} />,
        },
      ]}
    />
  );
}

function columnsOf(nameOf: (uid: string) => string): readonly Column<Webhook>[] {
  return [
    {
      title: 'Name',
      cell: ({ name, url }) => (
        <div className="min-w-32">
          <bdi className="font-medium wrap-anywhere">{name}</bdi>
          <p className="font-mono text-[13px] break-all text-muted">{url}</p>
        </div>
      ),
    },
    {
      title: 'Tells',
      isMinor: true,
      cell: ({ types, edges, actions, asUser }) => (
        <div className="min-w-32 text-[13px]">
          <p className="wrap-anywhere">
            {types === null && edges === null
              ? 'All changes'
              : [...(types ?? []), ...(edges ?? [])].join(', ')}
          </p>
          {actions !== null && <p className="text-muted">{actions.join(', ')}</p>}
          {asUser !== null && (
            <p className="text-muted">
              as <bdi>{nameOf(asUser)}</bdi> sees them
            </p>
          )}
        </div>
      ),
    },
    { title: 'State', cell: (webhook) => <State webhook={webhook} /> },
  ];
}

function State({ webhook }: { readonly webhook: Webhook }) {
  const { state, reason, lastDeliveredAt, nextAttemptAt, missed } = webhook;
  return (
    <div className="max-w-80 min-w-28">
      <Badge tone={TONES[state]}>{state}</Badge>
      {reason !== null && <p className="text-[13px] wrap-anywhere">{reason}</p>}
      {nextAttemptAt !== null && (
        <p className="text-[13px] text-muted">
          Next try: <Time iso={nextAttemptAt} isExact />
        </p>
      )}
      {reason === null && lastDeliveredAt !== null && (
        <p className="text-[13px] text-muted">
          Delivered <Time iso={lastDeliveredAt} />
        </p>
      )}
      {missed !== null && (
        <p className="text-[13px] text-muted">
          Missed the changes from {missed.from} to {missed.to}: the log was not kept for them.
        </p>
      )}
    </div>
  );
}

function ActiveSwitch({ webhook }: { readonly webhook: Webhook }) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (enabled: boolean) =>
      client.webhooks.update(webhook.id, { ...settingsOf(webhook), enabled }),
    onSuccess: () => queries.invalidateQueries({ queryKey: WEBHOOKS_KEY }),
    onError: (error) => toastError('The webhook was not changed', error),
  });
  return (
    <Switch
      label="Active"
      name={`Active: ${webhook.name}`}
      isOn={webhook.state === 'active' || webhook.state === 'retrying'}
      isDisabled={!permission.isAllowed || change.isPending}
      onChange={(isOn) => change.mutate(isOn)}
    />
  );
}

function settingsOf({ name, url, types, edges, actions, asUser, payload }: Webhook) {
  return {
    name,
    url,
    asUser,
    payload,
    types: types && [...types],
    edges: edges && [...edges],
    actions: actions && [...actions],
  };
}

type ActionsProps = Omit<WebhookTableProps, 'webhooks'> & { readonly webhook: Webhook };

function Actions({ webhook, onEdit, onDelete, onDeliveries, onSecret }: ActionsProps) {
  const { isAllowed } = useChangePermission();
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => client.webhooks.test(webhook.id),
    onSuccess: async ({ status, error, response, durationMs }) => {
      if (status === 'delivered') {
        toastDone('The test arrived', `${response?.status} after ${durationMs} ms`);
      } else {
        toastError('The test did not arrive', new Error(error ?? undefined));
      }
      await queries.invalidateQueries({ queryKey: WEBHOOKS_KEY });
    },
    onError: (error) => toastError('The test was not sent', error),
  });
  const rotate = useMutation({
    mutationFn: () => client.webhooks.rotateSecret(webhook.id),
    onSuccess: onSecret,
    onError: (error) => toastError('There is no new secret', error),
  });
  const isDisabled = !isAllowed;
  return (
    <Menu
      trigger={
        <Button
          size="small"
          kind="plain"
          icon={Ellipsis}
          isBusy={test.isPending || rotate.isPending}
          aria-label={`Actions on ${webhook.name}`}
        />
      }
      items={[
        { label: 'Deliveries', onSelect: () => onDeliveries(webhook) },
        { label: 'Send a test', isDisabled, onSelect: () => test.mutate() },
        { label: 'Change', isDisabled, onSelect: () => onEdit(webhook) },
        {
          label: 'New secret',
          hint: 'For a day the one before signs as well.',
          isDisabled,
          onSelect: () => rotate.mutate(),
        },
        { label: 'Delete', isDanger: true, isDisabled, onSelect: () => onDelete(webhook) },
      ]}
    />
  );
}
