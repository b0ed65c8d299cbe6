import { must } from '#base/assert.ts';
import type { NodeWrite, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { WebhookDelivery, WebhookSettings } from '@trellis/contract/shapes/webhook.ts';
import type { Failing, StoredWebhook } from './webhook.ts';

/** The node types in which they are stored: see `#graph/system-schema.ts`. */
const WEBHOOK_TYPE = '_Webhook';
const DELIVERIES_TYPE = '_WebhookDeliveries';

/** Reads the webhooks that there are. */
export class WebhookStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  all(): StoredWebhook[] {
    this.#reader.refresh();
    return this.#reader.idsOfType(WEBHOOK_TYPE).map((id) => this.#read(id));
  }

  /** The newest first. */
  deliveries(webhook: string): readonly WebhookDelivery[] {
    this.#reader.refresh();
    const id = this.#reader.id({ type: DELIVERIES_TYPE, key: webhook });
    const record = id === undefined ? undefined : this.#reader.field(id, 'Record');
    return (record as { readonly items: readonly WebhookDelivery[] } | undefined)?.items ?? [];
  }

  #read(id: number): StoredWebhook {
    const node = must(this.#reader.node(id), 'the node of a webhook');
    return {
      id: String(node.Id),
      settings: node['Settings'] as WebhookSettings,
      position: Number(node['Position']),
      pausedFor: textOrNull(node['PausedFor']),
      failing: (node['Failing'] as Failing | undefined) ?? null,
      missed: (node['Missed'] as StoredWebhook['missed'] | undefined) ?? null,
      createdAt: String(node['CreatedAt']),
      createdBy: textOrNull(node['CreatedBy']),
    };
  }
}

/** The way there: nothing else writes these nodes. */
export function writeWebhook(webhook: StoredWebhook): WriterOperation {
  const { id: key, settings, position, pausedFor, failing, missed } = webhook;
  const { createdAt, createdBy } = webhook;
  const fields: NonNullable<NodeWrite['fields']> = {
    Name: settings.name,
    Settings: jsonOf(settings),
    Position: position,
    PausedFor: pausedFor,
    Failing: failing === null ? null : { ...failing },
    Missed: missed === null ? null : { ...missed },
    CreatedAt: createdAt,
    CreatedBy: createdBy,
  };
  return { op: 'addOrUpdate', type: WEBHOOK_TYPE, key, fields };
}

export function writeDeliveries(key: string, items: readonly WebhookDelivery[]): WriterOperation {
  const fields = { Record: jsonOf({ items }) };
  return { op: 'addOrUpdate', type: DELIVERIES_TYPE, key, fields };
}

export function deleteWebhook(key: string): readonly WriterOperation[] {
  return [
    { op: 'delete', type: WEBHOOK_TYPE, key },
    { op: 'delete', type: DELIVERIES_TYPE, key },
  ];
}

function jsonOf(value: object): Record<string, never> {
  return JSON.parse(JSON.stringify(value)) as Record<string, never>;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
