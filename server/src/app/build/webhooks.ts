import type { AccessIndex } from '#access/access-index.ts';
import { timerAlarm } from '#base/clock.ts';
import type { DeliveryFeed } from '#webhooks/webhook.ts';
import { WebhookRequests } from '#webhooks/webhook-requests.ts';
import { WebhookSecrets } from '#webhooks/webhook-secrets.ts';
import { WebhookService } from '#webhooks/webhook-service.ts';
import { observedFetch } from '../telemetry/observed-calls.ts';
import { type Foundation, textRedactor } from './foundation.ts';
import type { Identity } from './identity.ts';
import { callerFor } from './tasks.ts';

export interface WebhookArguments {
  readonly access: AccessIndex;
  readonly workspace: Identity['workspace'];
  readonly signingKey: string;
  readonly changes: { readonly webhooks: DeliveryFeed };
}

/** Tells other servers what changes: see `#webhooks/webhook.ts`. */
export function buildWebhooks(foundation: Foundation, parts: WebhookArguments): WebhookService {
  const { reader, vault, clock, logger, redact, telemetry, preview, views } = foundation;
  const { access, workspace, signingKey, changes } = parts;
  const secrets = new WebhookSecrets(vault, signingKey);
  const requests = new WebhookRequests({
    fetch: observedFetch(fetch, telemetry),
    allowList: () => (preview === 'closed' ? [] : workspace.current().fetchAllowList),
    secrets,
    clock,
    redact: textRedactor(redact),
    onSent: (outcome, seconds) =>
      telemetry?.record('trellis.webhook.duration', seconds, {
        'trellis.webhook.outcome': outcome,
      }),
  });
  return new WebhookService({
    ...foundation,
    access,
    feed: changes.webhooks,
    requests,
    secrets,
    callerFor: (userUid) => callerFor(reader, userUid),
    deliversByItself: preview === null,
    alarm: timerAlarm,
    onChange: () => views.changed('webhooks'),
    onFault: (err) => logger.error({ err }, 'a webhook could not go on as it should'),
  });
}
