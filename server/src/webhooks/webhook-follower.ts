import { hash } from 'node:crypto';
import { OneAtATime } from '#base/one-at-a-time.ts';
import type { AccessIndex } from '#access/access-index.ts';
import type { Caller } from '#access/caller.ts';
import { type Alarm, type Clock, pauseFor } from '#base/clock.ts';
import {
  WEBHOOK_LIST_INTERVAL_MS,
  WEBHOOK_READ_AGAIN_MS,
  WEBHOOK_RETRY_AFTER_MS_MAX,
  WEBHOOK_RETRY_DELAYS_MS,
  WEBHOOK_RETRY_MS,
  WEBHOOK_SAVE_INTERVAL_MS,
  WEBHOOK_SAVE_SEQUENCES,
} from '#base/webhook-limits.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Webhook, WebhookDelivery } from '@trellis/contract/shapes/webhook.ts';
import { DeliveryList } from './delivery-list.ts';
import { VisibleChanges } from './visible-changes.ts';
import type { DeliveryFeed, Failing, FoundDelivery, LogPlace, StoredWebhook } from './webhook.ts';
import type { WebhookOutcome, WebhookRequests } from './webhook-requests.ts';
import { writeDeliveries, writeWebhook } from './webhook-store.ts';

export interface WebhookFollowerParts {
  readonly reader: GraphReader;
  readonly access: AccessIndex;
  readonly commits: CommitPort;
  readonly feed: DeliveryFeed;
  readonly requests: Pick<WebhookRequests, 'send'>;
  /** A user with the rights that they have now; undefined for one who may not sign in. */
  readonly callerFor: (userUid: string) => Caller | undefined;
  readonly clock: Clock;
  readonly alarm: Alarm;
  readonly onFault: (error: unknown) => void;
  /** Told when it shows something else. */
  readonly onChange: () => void;
  /** Told when another part of the log is needed. */
  readonly onPosition: () => void;
}

/** Something is to be sent, or there is nothing in it for the user, or nobody to send it for. */
type Body =
  | { readonly text: string; readonly changes: number }
  | 'nothing'
  | { readonly refusal: string };

/** Follows the log for one webhook, and delivers one commit after the other. */
export class WebhookFollower {
  readonly #parts: WebhookFollowerParts;
  #stored: StoredWebhook;
  readonly #list: DeliveryList;
  #next: LogPlace;
  /** Everything up to this sequence is delivered, or is nothing for this webhook. */
  #reached: number;
  /** Something was delivered since the position was written. */
  #isUnsaved = false;
  #isListUnsaved = false;
  #saving: Disposable | undefined;
  #listing: Disposable | undefined;
  readonly #writes = new OneAtATime();
  #active: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  #testing: Promise<WebhookDelivery> | undefined;
  #isClosed = false;

  constructor(
    stored: StoredWebhook,
    deliveries: readonly WebhookDelivery[],
    parts: WebhookFollowerParts,
  ) {
    this.#stored = stored;
    this.#parts = parts;
    this.#list = new DeliveryList(deliveries);
    this.#next = beginOf(stored);
    this.#reached = stored.position;
  }

  get stored(): StoredWebhook {
    return this.#stored;
  }

  start(): void {
    const { settings, pausedFor, position } = this.#stored;
    if (this.#active !== undefined || !settings.enabled || pausedFor !== null) return;
    this.#next = beginOf(this.#stored);
    this.#reached = position;
    const stop = new AbortController();
    this.#active = { stop, ended: this.#follow(stop.signal) };
  }

  /** What is being sent is aborted; it is sent again at the next start. */
  async stop(): Promise<void> {
    const active = this.#active;
    this.#active = undefined;
    active?.stop.abort(new Error('the webhook is stopped'));
    this.#saving?.[Symbol.dispose]();
    this.#listing?.[Symbol.dispose]();
    this.#saving = this.#listing = undefined;
    await active?.ended;
    await this.#save().catch(this.#parts.onFault);
  }

  /** To be called while it is stopped. */
  async change(change: Partial<StoredWebhook>): Promise<void> {
    this.#reached = change.position ?? this.#reached;
    await this.#write(() => change);
  }

  /** Stops it for good: nothing of it is written any more. */
  async close(): Promise<void> {
    await this.stop();
    this.#isClosed = true;
  }

  shown(): Webhook {
    const { id, settings, pausedFor, failing, missed, createdAt, createdBy } = this.#stored;
    const state = stateOf(this.#stored);
    return {
      id,
      ...settings,
      state,
      reason: pausedFor ?? failing?.error ?? null,
      position: this.#reached,
      attempts: failing?.attempts ?? 0,
      nextAttemptAt: state === 'retrying' && failing !== null ? timeOf(failing.nextMs) : null,
      lastDeliveredAt: this.#list.lastDeliveredAt,
      missed,
      createdAt,
      createdBy,
    };
  }

  deliveries(): readonly WebhookDelivery[] {
    return this.#list.items(this.#parts.clock.now());
  }

  /** Sends a delivery without changes, once. Who asks meanwhile is told the same. */
  test(id: string, signal: AbortSignal): Promise<WebhookDelivery> {
    this.#testing ??= this.#test(id, signal).finally(() => (this.#testing = undefined));
    return this.#testing;
  }

  async #test(id: string, signal: AbortSignal): Promise<WebhookDelivery> {
    const { feed, clock, requests } = this.#parts;
    const { sequence } = feed;
    const type = 'webhook.test' as const;
    const body = JSON.stringify({ type, sequence, time: timeOf(clock.now()), changes: [] });
    const { url } = this.#stored.settings;
    const outcome = await requests.send({ webhook: this.#stored.id, url, id, body }, signal);
    const status = outcome.isDelivered ? 'delivered' : 'failed';
    const attempted = { id, type, sequence, part: 1, changes: 0 };
    const noted = this.#list.note(attempted, outcome, { nowMs: clock.now(), status });
    this.#listChanged();
    return noted;
  }

  /** What goes wrong in between keeps no webhook from going on. */
  async #follow(signal: AbortSignal): Promise<void> {
    for (let goesOn = true; goesOn && !signal.aborted;) {
      try {
        goesOn = await this.#step(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#parts.onFault(error);
        this.#next = { after: this.#reached, skip: 0, part: 1 };
        await pauseFor(this.#parts.alarm, WEBHOOK_READ_AGAIN_MS, signal);
      }
    }
  }

  /** False when it is given up: stopped, or paused. */
  async #step(signal: AbortSignal): Promise<boolean> {
    const found = await this.#read(signal);
    if (found === undefined) return true;
    if (found.isLost) await this.#noteLoss(found.after);
    for (const delivery of found.deliveries) {
      if (!(await this.#deliver(delivery, signal))) return false;
      if (delivery.isLast) this.#reached = delivery.sequence;
      this.#moved();
    }
    this.#next = { after: found.after, skip: found.skip, part: found.part };
    this.#reached = found.after;
    this.#moved();
    return true;
  }

  /** Undefined when it is to be asked again. */
  async #read(signal: AbortSignal) {
    const { feed, onFault } = this.#parts;
    const { types, edges, actions, payload, asUser } = this.#stored.settings;
    const filter = { types, edges, actions };
    const isFull = payload === 'full';
    try {
      const asked = { ...this.#next, ...filter, isFull, isAsUser: asUser !== null };
      const found = await feed.next(asked, signal);
      return signal.aborted ? undefined : found;
    } catch (error) {
      if (signal.aborted) return undefined;
      onFault(error);
      await pauseFor(this.#parts.alarm, WEBHOOK_READ_AGAIN_MS, signal);
      return undefined;
    }
  }

  /** Tries until it has arrived. False when it is given up: stopped, or paused. */
  async #deliver(delivery: FoundDelivery, signal: AbortSignal): Promise<boolean> {
    const { requests, clock } = this.#parts;
    const { id: webhook, settings } = this.#stored;
    const id = idOf(this.#stored, delivery);
    const waiting = this.#stored.failing;
    if (waiting?.delivery === id)
      await pauseFor(this.#parts.alarm, waiting.nextMs - clock.now(), signal);
    while (!signal.aborted) {
      // Each time anew: rights may have changed since the last try.
      const body = this.#bodyOf(delivery);
      if (body === 'nothing') return this.#clear();
      if ('refusal' in body) return this.#pause(body.refusal);
      const message = { webhook, url: settings.url, id, body: body.text };
      let outcome: WebhookOutcome;
      try {
        outcome = await requests.send(message, signal);
      } catch (error) {
        if (signal.aborted) return false;
        throw error;
      }
      const { sequence, part } = delivery;
      const attempted = { id, type: TYPE, sequence, part, changes: body.changes };
      const failing = outcome.isDelivered ? null : this.#failed(id, outcome);
      const reason = failing && giveUpReason(failing, outcome, clock.now());
      const status = failing === null ? 'delivered' : reason === null ? 'retrying' : 'failed';
      this.#list.note(attempted, outcome, { nowMs: clock.now(), status });
      this.#listChanged();
      if (failing === null) return this.#clear();
      if (signal.aborted) return false;
      await this.#write(() => ({ failing }));
      if (reason !== null) return this.#pause(reason);
      await pauseFor(this.#parts.alarm, failing.nextMs - clock.now(), signal);
    }
    return false;
  }

  #bodyOf(delivery: FoundDelivery): Body {
    const { sequence, at: time, part, isLast } = delivery;
    let { changes } = delivery;
    const { asUser, payload } = this.#stored.settings;
    if (asUser !== null) {
      const caller = this.#parts.callerFor(asUser);
      if (caller === undefined) return { refusal: `The user ${asUser} may not sign in any more` };
      changes = new VisibleChanges(this.#parts, caller, payload === 'full').of(delivery);
      if (changes.length === 0) return 'nothing';
    }
    const parts = part === 1 && isLast ? {} : { part, isLast };
    const head = JSON.stringify({ type: TYPE, sequence, time, ...parts }).slice(0, -1);
    return { text: `${head},"changes":[${changes.join(',')}]}`, changes: changes.length };
  }

  #failed(delivery: string, { error, retryAfterMs }: WebhookOutcome): Failing {
    const nowMs = this.#parts.clock.now();
    const before = this.#stored.failing;
    const isSame = before?.delivery === delivery;
    const attempts = isSame ? before.attempts + 1 : 1;
    const delayMs =
      WEBHOOK_RETRY_DELAYS_MS[Math.min(attempts, WEBHOOK_RETRY_DELAYS_MS.length) - 1] ?? 0;
    const askedMs = Math.min(retryAfterMs, WEBHOOK_RETRY_AFTER_MS_MAX);
    const sinceMs = isSame ? before.sinceMs : nowMs;
    const nextMs = nowMs + Math.max(delayMs, askedMs);
    return { delivery, sinceMs, attempts, nextMs, error: error ?? '' };
  }

  /** It has arrived. */
  #clear(): true {
    if (this.#stored.failing !== null) this.#stored = { ...this.#stored, failing: null };
    this.#isUnsaved = true;
    return true;
  }

  /** It ends following by itself. */
  async #pause(reason: string): Promise<false> {
    this.#parts.onFault(
      new Error(`the webhook "${this.#stored.settings.name}" is paused: ${reason}`),
    );
    await this.#write(() => ({ pausedFor: reason, failing: null }));
    this.#active = undefined;
    await this.#save();
    return false;
  }

  #moved(): void {
    const ahead = this.#reached - this.#stored.position;
    if (ahead <= 0 || (!this.#isUnsaved && ahead < WEBHOOK_SAVE_SEQUENCES)) return;
    this.#saving ??= this.#parts.alarm(WEBHOOK_SAVE_INTERVAL_MS, () => {
      this.#saving = undefined;
      void this.#write(() => ({})).catch(this.#parts.onFault);
    });
  }

  #listChanged(): void {
    this.#parts.onChange();
    if (this.#isClosed) return;
    this.#isListUnsaved = true;
    this.#listing ??= this.#parts.alarm(WEBHOOK_LIST_INTERVAL_MS, () => {
      this.#listing = undefined;
      void this.#writeList().catch(this.#parts.onFault);
    });
  }

  async #save(): Promise<void> {
    if (this.#isUnsaved) await this.#write(() => ({}));
    await this.#writeList();
  }

  async #noteLoss(begin: number): Promise<void> {
    const from = this.#next.after + 1;
    const at = timeOf(this.#parts.clock.now());
    const { name } = this.#stored.settings;
    this.#parts.onFault(
      new Error(`the log from ${from} to ${begin} is gone: the webhook "${name}" missed it`),
    );
    await this.#write(() => ({ missed: { from, to: begin, at } }));
  }

  /** With a change, or with how far it is by now. */
  #write(change: () => Partial<StoredWebhook>): Promise<void> {
    return this.#writes.run(async () => {
      this.#isUnsaved = false;
      const changes = { position: this.#reached, ...change() };
      const written = { ...this.#stored, ...changes };
      try {
        await commitAndRead([writeWebhook(written)], this.#parts);
      } catch (error) {
        this.#isUnsaved = true;
        throw error;
      }
      const hasMoved = written.position !== this.#stored.position;
      // What has arrived meanwhile stays so.
      this.#stored = { ...this.#stored, ...changes };
      this.#parts.onChange();
      if (hasMoved) this.#parts.onPosition();
    });
  }

  #writeList(): Promise<void> {
    return this.#writes.run(async () => {
      if (!this.#isListUnsaved) return;
      this.#isListUnsaved = false;
      await commitAndRead([writeDeliveries(this.#stored.id, this.deliveries())], this.#parts);
    });
  }
}

const TYPE = 'graph.changed' as const;

function beginOf({ position }: StoredWebhook): LogPlace {
  return { after: position, skip: 0, part: 1 };
}

/**
 * The same whenever it is sent: receivers tell by it what they have seen. Where a commit is cut
 * depends on the settings, and on which nodes are there; so other borders have other ids, and no
 * change is taken for one that was seen.
 */
function idOf({ id: webhook, settings }: StoredWebhook, delivery: FoundDelivery): string {
  const { sequence, part, begin, end, isLast } = delivery;
  const whole = `msg_${webhook}_${sequence}`;
  if (part === 1 && isLast) return whole;
  const { types, edges, actions, payload, asUser } = settings;
  const cut = JSON.stringify([begin, end, types, edges, actions, payload, asUser]);
  return `${whole}_${part}_${hash('sha256', cut, 'base64url').slice(0, CUT_CHARACTERS)}`;
}

const CUT_CHARACTERS = 8;

function stateOf({ settings, pausedFor, failing }: StoredWebhook): Webhook['state'] {
  if (!settings.enabled) return 'disabled';
  if (pausedFor !== null) return 'paused';
  return failing === null ? 'active' : 'retrying';
}

/** Why a delivery is not tried any more; null when it is. */
function giveUpReason(
  { sinceMs, nextMs, attempts }: Failing,
  { isFinal, error }: WebhookOutcome,
  nowMs: number,
): string | null {
  if (isFinal) return error;
  // The last try is at the end of the time, not before.
  if (nowMs - sinceMs < WEBHOOK_RETRY_MS && nextMs - sinceMs <= WEBHOOK_RETRY_MS) return null;
  return `${attempts} attempts within a day have failed. The last: ${error ?? ''}`;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
