import { useQuery } from '@tanstack/react-query';
import { Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import type { Webhook, WebhookWithSecret } from '@trellis/contract/shapes/webhook.ts';
import { tellsOfView, useLiveQueries } from '../../../app/live-queries.ts';
import { ListPage } from '../../manage/list-page.tsx';
import { DeleteWebhookDialog } from './delete-webhook-dialog.tsx';
import { DeliveriesPanel } from './deliveries-panel.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { WEBHOOKS_KEY, webhooksQuery } from './webhook-queries.ts';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';
import { WebhookTable } from './webhook-table.tsx';

const tells = tellsOfView('webhooks');

/** Addresses that are told what changes (docs/webhooks.md). */
export function WebhooksPage() {
  /** The one that is changed; null for a new one. */
  const [edited, setEdited] = useState<Webhook | null>();
  const [deleted, setDeleted] = useState<Webhook>();
  const [opened, setOpened] = useState<Webhook>();
  const [secret, setSecret] = useState<WebhookWithSecret>();
  useLiveQueries(WEBHOOKS_KEY, tells);
  const query = useQuery({ ...webhooksQuery, select: ({ items }) => items });
  return (
    <ListPage
      title="Webhooks"
      description="Addresses of other servers that are told what changes, in order."
      addLabel="Add webhook"
      onAdd={() => setEdited(null)}
      query={query}
      errorTitle="The webhooks could not be read"
      empty={{
        icon: WebhookIcon,
        title: 'No webhooks yet',
        text: 'Add the address of a server that wants to know what changes here.',
      }}
      list={(items) => (
        <WebhookTable
          webhooks={items}
          onEdit={setEdited}
          onDelete={setDeleted}
          onDeliveries={setOpened}
          onSecret={setSecret}
        />
      )}
    >
      {edited !== undefined && (
        <WebhookDialog
          webhook={edited}
          onCreated={setSecret}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleted !== undefined && (
        <DeleteWebhookDialog webhook={deleted} onClose={() => setDeleted(undefined)} />
      )}
      {opened !== undefined && (
        <DeliveriesPanel webhook={opened} onClose={() => setOpened(undefined)} />
      )}
      {secret !== undefined && (
        <WebhookSecretDialog webhook={secret} onClose={() => setSecret(undefined)} />
      )}
    </ListPage>
  );
}
