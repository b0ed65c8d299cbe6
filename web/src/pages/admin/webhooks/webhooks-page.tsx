import { useQuery } from '@tanstack/react-query';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import type { Webhook, WebhookWithSecret } from '@trellis/contract/shapes/webhook.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { PermissionNotice } from '../../manage/permission-notice.tsx';
import { DeleteWebhookDialog } from './delete-webhook-dialog.tsx';
import { DeliveriesPanel } from './deliveries-panel.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { webhooksQuery } from './webhook-queries.ts';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';
import { WebhookTable } from './webhook-table.tsx';

/** Addresses that are told what changes (docs/webhooks.md). */
export function WebhooksPage() {
  /** The one that is changed; null for a new one. */
  const [edited, setEdited] = useState<Webhook | null>();
  const [deleted, setDeleted] = useState<Webhook>();
  const [opened, setOpened] = useState<Webhook>();
  const [secret, setSecret] = useState<WebhookWithSecret>();
  const permission = useChangePermission();
  const query = useQuery(webhooksQuery);
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Addresses of other servers that are told what changes, in order."
        actions={
          <Button
            kind="primary"
            icon={Plus}
            disabled={!permission.isAllowed}
            onClick={() => setEdited(null)}
          >
            Add webhook
          </Button>
        }
      />
      <PermissionNotice permission={permission} />
      <QueryView query={query} errorTitle="The webhooks could not be read">
        {({ items }) => (
          <Card isFlush>
            {items.length === 0 ? (
              <EmptyState icon={WebhookIcon} title="No webhooks yet">
                Add the address of a server that wants to know what changes here.
              </EmptyState>
            ) : (
              <WebhookTable
                webhooks={items}
                onEdit={setEdited}
                onDelete={setDeleted}
                onDeliveries={setOpened}
                onSecret={setSecret}
              />
            )}
          </Card>
        )}
      </QueryView>
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
    </>
  );
}
