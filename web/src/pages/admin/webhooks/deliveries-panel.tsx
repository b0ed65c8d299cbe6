import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Webhook, WebhookDelivery } from '@trellis/contract/shapes/webhook.ts';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { SidePanel } from '../../../ui/dialog.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { deliveriesQuery, WEBHOOKS_KEY } from './webhook-queries.ts';

interface DeliveriesPanelProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

const TONES = { delivered: 'good', retrying: 'warning', failed: 'danger' } as const;

/** What was sent last, and what the receiver answered. */
export function DeliveriesPanel({ webhook, onClose }: DeliveriesPanelProps) {
  const deliveries = useQuery(deliveriesQuery(webhook.id));
  return (
    <SidePanel isOpen onClose={onClose} title={`Deliveries of “${webhook.name}”`}>
      <QueryView query={deliveries} errorTitle="The deliveries could not be read">
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-muted">Nothing was sent yet.</p>
          ) : (
            <ol className="flex flex-col gap-4">
              {items.map((delivery) => (
                <DeliveryEntry key={delivery.id} webhook={webhook.id} delivery={delivery} />
              ))}
            </ol>
          )
        }
      </QueryView>
    </SidePanel>
  );
}

interface DeliveryEntryProps {
  readonly webhook: string;
  readonly delivery: WebhookDelivery;
}

function DeliveryEntry({ webhook, delivery }: DeliveryEntryProps) {
  const { type, sequence, part, changes, status, attempts, lastAttemptAt } = delivery;
  const { durationMs, response, error } = delivery;
  const isTest = type === 'webhook.test';
  return (
    <li>
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{isTest ? 'Test' : `Sequence ${sequence}`}</span>
        <Badge tone={TONES[status]}>{status}</Badge>
      </p>
      <p className="text-[13px] text-muted">
        <Time iso={lastAttemptAt} isExact />, {durationMs} ms, tried{' '}
        {attempts === 1 ? 'once' : `${attempts} times`}
        {!isTest && `, ${changes === 1 ? '1 change' : `${changes} changes`}`}
        {part > 1 && `, part ${part}`}
      </p>
      {error !== null && <p className="mt-1 wrap-anywhere">{error}</p>}
      {response !== null && response.body !== '' && (
        <pre className="mt-1 max-h-32 overflow-auto rounded-control bg-sunken p-2 font-mono text-[13px] break-all whitespace-pre-wrap">
          {response.body}
        </pre>
      )}
      {!isTest && <ReplayButton webhook={webhook} sequence={sequence} />}
    </li>
  );
}

interface ReplayButtonProps {
  readonly webhook: string;
  readonly sequence: number;
}

function ReplayButton({ webhook, sequence }: ReplayButtonProps) {
  const { isAllowed } = useChangePermission();
  const queries = useQueryClient();
  const replay = useMutation({
    mutationFn: () => client.webhooks.replay(webhook, { fromSequence: sequence }),
    onSuccess: async () => {
      toastDone('Everything is delivered again', `from sequence ${sequence} on`);
      await queries.invalidateQueries({ queryKey: WEBHOOKS_KEY });
    },
    onError: (error) => toastError('Nothing is delivered again', error),
  });
  return (
    <Button
      size="small"
      className="mt-2"
      disabled={!isAllowed}
      isBusy={replay.isPending}
      onClick={() => replay.mutate()}
    >
      Replay from here<span className="sr-only">: sequence {sequence}</span>
    </Button>
  );
}
