import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { Problem } from '#base/problem.ts';
import { TRIGGER_RUNS_IN_ALL_MAX, TRIGGERS_MAX } from '#base/trigger-limits.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type { SetAside, Trigger, TriggerRetry } from '@trellis/contract/shapes/trigger.ts';
import { EndpointTrigger, type EndpointTriggerParts } from './endpoint-trigger.ts';
import { RunPlaces } from './run-places.ts';
import type { SetAsideEvent, StoredTrigger, TriggeredEndpoint, TriggerLine } from './trigger.ts';
import {
  deleteSetAside,
  deleteTrigger,
  TriggerStore,
  writeSetAside,
  writeTrigger,
} from './trigger-store.ts';

export interface TriggerServiceParts extends Omit<
  EndpointTriggerParts,
  'store' | 'places' | 'onPosition'
> {
  readonly audit: AuditTrail;
}

/**
 * Endpoints that run by themselves after changes of nodes, as the lines `// trellis: on` of their
 * code say. A primary runs them.
 */
export class TriggerService implements AsyncDisposable {
  readonly #parts: TriggerServiceParts;
  readonly #store: TriggerStore;
  readonly #places: RunPlaces;
  /** By endpoint. */
  readonly #triggers = new Map<string, EndpointTrigger>();
  readonly #closing = new AbortController();
  readonly #changes = new OneAtATime();
  /** Whose turn it is to take a free place. */
  #turn = 0;

  constructor(parts: TriggerServiceParts) {
    this.#parts = parts;
    this.#store = new TriggerStore(parts.reader);
    this.#places = new RunPlaces(TRIGGER_RUNS_IN_ALL_MAX, () => this.#pump());
  }

  /** A primary calls it once: goes on where the process before has ended. */
  start(): void {
    for (const stored of this.#store.all()) this.#open(stored);
    this.#tellNeed();
  }

  /** Makes, changes and removes triggers, so that they are as the code of all endpoints says. */
  followCode(endpoints: readonly TriggeredEndpoint[]): Promise<void> {
    return this.#changes.run(async () => {
      const { onFault, feed } = this.#parts;
      const wanted = endpoints.filter(({ triggers }) => triggers.length > 0);
      const names = new Set(wanted.map(({ name }) => name));
      for (const name of this.#triggers.keys()) if (!names.has(name)) await this.#remove(name);
      for (const { name, triggers } of wanted) {
        const known = this.#triggers.get(name);
        const lines = linesOf(triggers, known?.stored.lines ?? [], feed.sequence);
        if (known !== undefined) {
          if (!isSame(lines, known.stored.lines)) await known.setLines(lines);
        } else if (this.#triggers.size >= TRIGGERS_MAX) {
          const why = `There are ${TRIGGERS_MAX} endpoints with triggers already: "${name}" has none`;
          onFault(new Error(why));
        } else {
          await this.#add(name, lines);
        }
      }
      this.#tellNeed();
    });
  }

  list(_caller: Caller): { readonly items: Trigger[] } {
    const all = [...this.#triggers.values()].map((trigger) => trigger.shown());
    return { items: all.toSorted((a, b) => (a.endpoint < b.endpoint ? -1 : 1)) };
  }

  /** Throws `trigger_not_found`, as does the next. */
  pause(caller: Caller, endpoint: string, address: string): Promise<Trigger> {
    return this.#changes.run(async () => {
      const trigger = this.#require(endpoint);
      await trigger.pause(null);
      this.#record('trigger.paused', endpoint, { caller, address });
      return trigger.shown();
    });
  }

  resume(caller: Caller, endpoint: string, address: string): Promise<Trigger> {
    return this.#changes.run(async () => {
      const trigger = this.#require(endpoint);
      await trigger.resume();
      this.#record('trigger.resumed', endpoint, { caller, address });
      return trigger.shown();
    });
  }

  setAside(
    _caller: Caller,
    { endpoint, skip, take }: Page & { readonly endpoint?: string | undefined },
  ): List<SetAside> {
    const all = this.#store.setAside(endpoint);
    const items = all
      .slice(skip, skip + take)
      .map(({ chain: _chain, body: _body, ...event }) => event);
    return { items, total: all.length, skip, take };
  }

  /** Runs an event once, which is there no longer when that goes well. */
  async retry(caller: Caller, id: string, address: string): Promise<TriggerRetry> {
    const event = this.#requireEvent(id);
    const trigger = this.#require(event.endpoint);
    this.#record('trigger.retried', event.endpoint, { caller, address });
    // Somebody asks for it, so it begins a chain of its own.
    const begun = { ...event, chain: [] };
    const error = await trigger.again(begun, this.#closing.signal);
    if (this.#closing.signal.aborted) {
      throw new Problem('task_interrupted', 'The server stopped before the run ended.');
    }
    const attempts = event.attempts + 1;
    const written =
      error === undefined ? deleteSetAside(id) : writeSetAside({ ...event, attempts, error });
    await commitAndRead([written], this.#parts);
    this.#parts.onChange();
    return { succeeded: error === undefined, error: error ?? null };
  }

  /** Throws `trigger_event_not_found`. */
  async forget(caller: Caller, id: string, address: string): Promise<void> {
    const { endpoint } = this.#requireEvent(id);
    await commitAndRead([deleteSetAside(id)], this.#parts);
    this.#parts.onChange();
    this.#record('trigger.event-deleted', endpoint, { caller, address });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('the server stops'));
    await this.#changes.ended();
    await Promise.all([...this.#triggers.values()].map((trigger) => trigger.stop()));
  }

  async #add(endpoint: string, lines: readonly TriggerLine[]): Promise<void> {
    const position = this.#parts.feed.sequence;
    const stored = { endpoint, lines, position, isPaused: false, reason: null, missed: null };
    await commitAndRead([writeTrigger(stored)], this.#parts);
    this.#open(stored);
    this.#parts.onChange();
  }

  async #remove(endpoint: string): Promise<void> {
    await this.#triggers.get(endpoint)?.stop();
    this.#triggers.delete(endpoint);
    const events = this.#store.setAside(endpoint).map(({ id }) => deleteSetAside(id));
    await commitAndRead([deleteTrigger(endpoint), ...events], this.#parts);
    this.#parts.onChange();
  }

  #open(stored: StoredTrigger): void {
    const onPosition = (): void => this.#tellNeed();
    const shared = { store: this.#store, places: this.#places, onPosition };
    const trigger = new EndpointTrigger(stored, { ...this.#parts, ...shared });
    this.#triggers.set(stored.endpoint, trigger);
    trigger.start();
  }

  /** Each in turn, so that one with many events leaves places to the others. */
  #pump(): void {
    const all = [...this.#triggers.values()];
    for (let tried = 0; tried < all.length; tried++) {
      this.#turn = (this.#turn + 1) % all.length;
      if (all[this.#turn]?.pump() === true) tried = -1;
    }
  }

  #tellNeed(): void {
    const positions = [...this.#triggers.values()].map(({ stored }) => stored.position);
    this.#parts.feed.needs(positions.length === 0 ? undefined : Math.min(...positions));
  }

  #require(endpoint: string): EndpointTrigger {
    const trigger = this.#triggers.get(endpoint);
    if (trigger !== undefined) return trigger;
    throw new Problem('trigger_not_found', `No change runs the endpoint "${endpoint}"`);
  }

  #requireEvent(id: string): SetAsideEvent {
    const event = this.#store.find(id);
    if (event !== undefined) return event;
    throw new Problem('trigger_event_not_found', `There is no event "${id}" that is set aside`);
  }

  #record(
    action: 'trigger.paused' | 'trigger.resumed' | 'trigger.retried' | 'trigger.event-deleted',
    endpoint: string,
    by: { readonly caller: Caller; readonly address: string },
  ): void {
    this.#parts.audit.record(deed(action, by, { kind: 'endpoint', id: endpoint }));
  }
}

/** A line that stays keeps since when it runs; a new one runs for what comes from now on. */
function linesOf(
  wanted: TriggeredEndpoint['triggers'],
  before: readonly TriggerLine[],
  sequence: number,
): TriggerLine[] {
  const lines = new Map<string, TriggerLine>();
  for (const { event, type } of wanted) {
    const known = before.find((line) => line.event === event && line.type === type);
    lines.set(`${event} ${type}`, known ?? { event, type, since: sequence });
  }
  return [...lines.values()];
}

function isSame(a: readonly TriggerLine[], b: readonly TriggerLine[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ event, type }, at) => b[at]?.event === event && b[at].type === type)
  );
}
