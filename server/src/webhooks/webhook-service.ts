import { isDeepStrictEqual } from 'node:util';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { didYouMean, isSystemName, shorten } from '#graph/names.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { VaultWrite } from '#identity/vault.ts';
import { WEBHOOKS_MAX } from '@trellis/contract/limits.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type {
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookSettings,
  WebhookWithSecret,
} from '@trellis/contract/shapes/webhook.ts';
import type { StoredWebhook } from './webhook.ts';
import { WebhookFollower, type WebhookFollowerParts } from './webhook-follower.ts';
import type { WebhookRequests } from './webhook-requests.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';
import { deleteWebhook, WebhookStore, writeWebhook } from './webhook-store.ts';

export interface WebhookServiceParts extends Omit<WebhookFollowerParts, 'requests' | 'onPosition'> {
  readonly requests: WebhookRequests;
  readonly secrets: WebhookSecrets;
  readonly audit: AuditTrail;
  /** False in a preview, which sends nothing by itself. */
  readonly deliversByItself: boolean;
}

/** Who changes something, and from where. */
interface By {
  readonly caller: Caller;
  readonly address: string;
}

/** The name that a type has now. */
type Renamed = (name: string) => string;

type WebhookDeed = 'created' | 'changed' | 'deleted' | 'replayed' | 'tested' | 'secret-changed';

/**
 * Webhooks (open-shapes, section 11). A primary delivers; what it has delivered is in the state, so
 * that the next process, or a promoted replica, goes on from there.
 */
export class WebhookService implements AsyncDisposable {
  readonly #parts: WebhookServiceParts;
  readonly #store: WebhookStore;
  readonly #webhooks = new Map<string, WebhookFollower>();
  readonly #closing = new AbortController();
  readonly #changes = new OneAtATime();

  constructor(parts: WebhookServiceParts) {
    this.#parts = parts;
    this.#store = new WebhookStore(parts.reader);
  }

  /** A primary calls it once, before it is ready. */
  load(): void {
    for (const stored of this.#store.all()) this.#open(stored);
    this.#tellNeed();
  }

  /** A primary calls it once it is ready: goes on where the process before has ended. */
  start(): void {
    for (const webhook of this.#webhooks.values()) this.#start(webhook);
  }

  list(_caller: Caller, { skip, take }: Page): List<Webhook> {
    const all = [...this.#webhooks.values()].map((webhook) => webhook.shown());
    const sorted = all.toSorted((a, b) => compare(a.name, b.name) || compare(a.id, b.id));
    return { items: sorted.slice(skip, skip + take), total: all.length, skip, take };
  }

  /** Throws `webhook_not_found`, as do those below. */
  get(_caller: Caller, id: string): Webhook {
    return this.#require(id).shown();
  }

  deliveries(_caller: Caller, id: string, { skip, take }: Page): List<WebhookDelivery> {
    const all = this.#require(id).deliveries();
    return { items: all.slice(skip, skip + take), total: all.length, skip, take };
  }

  /** It tells what is committed from now on. Rejects with `webhook_address_not_allowed`. */
  create(caller: Caller, change: WebhookChange, address: string): Promise<WebhookWithSecret> {
    return this.#changes.run(async () => {
      const { feed, clock, secrets } = this.#parts;
      if (this.#webhooks.size >= WEBHOOKS_MAX) {
        const message = `There are ${WEBHOOKS_MAX} webhooks already`;
        throw new Problem('webhook_limit_reached', message, { details: { limit: WEBHOOKS_MAX } });
      }
      const settings = this.#settingsOf(change);
      const stored: StoredWebhook = {
        id: formatUid(randomUid()),
        settings,
        position: feed.sequence,
        pausedFor: null,
        failing: null,
        missed: null,
        createdAt: new Date(clock.now()).toISOString(),
        createdBy: caller.userUid,
      };
      const { secret, write } = secrets.make(stored.id);
      await this.#commit('created', stored, { caller, address }, [writeWebhook(stored)], [write]);
      const webhook = this.#open(stored);
      this.#start(webhook);
      this.#tellNeed();
      return { ...webhook.shown(), secret };
    });
  }

  update(caller: Caller, id: string, change: WebhookChange, address: string): Promise<Webhook> {
    return this.#changes.run(async () => {
      const webhook = this.#require(id);
      const settings = this.#settingsOf(change);
      await this.#while(webhook, async () => {
        // Whoever enables it wants it to go on, with a day ahead of it again.
        const goesOn = settings.enabled ? { pausedFor: null, failing: null } : {};
        await webhook.change({ settings, ...goesOn });
      });
      this.#record('changed', webhook.stored, { caller, address });
      return webhook.shown();
    });
  }

  /** Gives the types and edges that settings name the names that they have now. */
  renamed(names: { readonly types: Renamed; readonly edges: Renamed }): Promise<void> {
    return this.#changes.run(async () => {
      for (const webhook of this.#webhooks.values()) {
        const { settings } = webhook.stored;
        const types = settings.types?.map(names.types) ?? null;
        const edges = settings.edges?.map(names.edges) ?? null;
        if (isDeepStrictEqual([types, edges], [settings.types, settings.edges])) continue;
        await this.#while(webhook, () =>
          webhook.change({ settings: { ...settings, types, edges } }),
        );
      }
    });
  }

  delete(caller: Caller, id: string, address: string): Promise<void> {
    return this.#changes.run(async () => {
      const webhook = this.#require(id);
      await webhook.close();
      const { stored } = webhook;
      const removed = [this.#parts.secrets.remove(id)];
      try {
        await this.#commit('deleted', stored, { caller, address }, deleteWebhook(id), removed);
      } catch (error) {
        this.#start(this.#open(stored));
        throw error;
      }
      this.#webhooks.delete(id);
      this.#tellNeed();
    });
  }

  /** Rejects with `webhook_log_gone`. */
  replay(caller: Caller, id: string, fromSequence: number, address: string): Promise<Webhook> {
    return this.#changes.run(async () => {
      const webhook = this.#require(id);
      const { feed } = this.#parts;
      if (fromSequence > feed.sequence + 1) {
        throw invalid('fromSequence', `the newest sequence is ${feed.sequence}`);
      }
      const firstSequence = await feed.first();
      if (fromSequence < firstSequence) {
        const message = `The log begins with sequence ${firstSequence}`;
        throw new Problem('webhook_log_gone', message, { details: { firstSequence } });
      }
      await this.#while(webhook, () =>
        webhook.change({ position: fromSequence - 1, failing: null, missed: null }),
      );
      this.#record('replayed', webhook.stored, { caller, address }, { fromSequence });
      return webhook.shown();
    });
  }

  async test(caller: Caller, id: string, address: string): Promise<WebhookDelivery> {
    const webhook = this.#require(id);
    this.#record('tested', webhook.stored, { caller, address });
    try {
      return await webhook.test(`msg_${id}_test_${formatUid(randomUid())}`, this.#closing.signal);
    } catch (error) {
      if (!this.#closing.signal.aborted) throw error;
      throw new Problem('task_interrupted', 'The server stopped before the receiver answered.');
    }
  }

  rotateSecret(caller: Caller, id: string, address: string): Promise<WebhookWithSecret> {
    return this.#changes.run(async () => {
      const webhook = this.#require(id);
      const { secret, write } = this.#parts.secrets.rotate(id, this.#parts.clock.now());
      await this.#commit('secret-changed', webhook.stored, { caller, address }, [], [write]);
      return { ...webhook.shown(), secret };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('the server stops'));
    await this.#changes.ended();
    await Promise.all([...this.#webhooks.values()].map((webhook) => webhook.close()));
  }

  #open(stored: StoredWebhook): WebhookFollower {
    const onPosition = (): void => this.#tellNeed();
    const deliveries = this.#store.deliveries(stored.id);
    const webhook = new WebhookFollower(stored, deliveries, { ...this.#parts, onPosition });
    this.#webhooks.set(stored.id, webhook);
    return webhook;
  }

  #start(webhook: WebhookFollower): void {
    if (this.#parts.deliversByItself) webhook.start();
  }

  /** Changes it while it is stopped; it goes on also when that fails. */
  async #while(webhook: WebhookFollower, change: () => Promise<void>): Promise<void> {
    await webhook.stop();
    try {
      await change();
    } finally {
      this.#start(webhook);
      this.#tellNeed();
    }
  }

  #settingsOf(change: WebhookChange): WebhookSettings {
    const { name, url, types = null, edges = null, actions = null } = change;
    const { asUser = null, payload = 'full', enabled = true } = change;
    this.#parts.requests.check(url);
    const { reader } = this.#parts;
    reader.refresh();
    const schema = reader.schema();
    checkNames('types', types, schema.nodes);
    checkNames('edges', edges, schema.edges);
    const ofNodes = types !== null || edges === null;
    const ofEdges = edges !== null || types === null;
    const told = actions?.some((action) => (isOfEdges(action) ? ofEdges : ofNodes)) ?? true;
    if (!told) {
      const [what, where] = ofNodes ? ['edges', 'edges'] : ['nodes', 'types'];
      throw invalid('actions', `they happen to ${what}, of which "${where}" names none`);
    }
    if (asUser !== null && this.#parts.callerFor(asUser) === undefined) {
      throw invalid('asUser', `there is no user "${shorten(asUser)}" who may sign in`);
    }
    return { name, url, types, edges, actions, asUser, payload, enabled };
  }

  #tellNeed(): void {
    const positions = [...this.#webhooks.values()].map(({ stored }) => stored.position);
    this.#parts.feed.needs(positions.length === 0 ? undefined : Math.min(...positions));
  }

  #require(id: string): WebhookFollower {
    const webhook = this.#webhooks.get(id);
    if (webhook !== undefined) return webhook;
    throw new Problem('webhook_not_found', `There is no webhook "${shorten(id)}"`);
  }

  async #commit(
    action: WebhookDeed,
    webhook: StoredWebhook,
    by: By,
    operations: readonly WriterOperation[],
    vault: readonly VaultWrite[],
  ): Promise<void> {
    const { commits, audit, onChange } = this.#parts;
    const event = audit.operation(eventOf(action, webhook, by));
    await commits.commit({ system: true, operations: [...operations, event], vault });
    onChange();
  }

  #record(action: WebhookDeed, webhook: StoredWebhook, by: By, details?: object): void {
    this.#parts.audit.record(eventOf(action, webhook, by, details));
  }
}

function eventOf(action: WebhookDeed, { id, settings }: StoredWebhook, by: By, details = {}) {
  const { name, url, asUser } = settings;
  const { origin } = new URL(url);
  const target = { kind: 'webhook', id, name };
  return deed(`webhook.${action}`, by, target, { origin, asUser, ...details });
}

function checkNames(
  path: 'types' | 'edges',
  names: readonly string[] | null,
  known: readonly { readonly type: string }[],
): void {
  const own = known.map(({ type }) => type).filter((type) => !isSystemName(type));
  for (const [i, name] of (names ?? []).entries()) {
    if (own.includes(name)) continue;
    const kind = path === 'types' ? 'a node type' : 'an edge type';
    const { hint } = didYouMean(name, own);
    throw invalid(`${path}.${i}`, `"${shorten(name)}" is not ${kind} of the workspace`, hint);
  }
}

function isOfEdges(action: string): boolean {
  return action === 'linked' || action === 'unlinked';
}

function invalid(path: string, message: string, hint?: string): Problem {
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    ...(hint === undefined ? {} : { hint }),
    details: { fields: [{ path, message }] },
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
