import { must } from '#base/assert.ts';
import { type Alarm, type Clock, pauseFor } from '#base/clock.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { Problem } from '#base/problem.ts';
import {
  TRIGGER_BUSY_DELAY_MS,
  TRIGGER_CHAIN_MAX,
  TRIGGER_ERROR_CHARACTERS_MAX,
  TRIGGER_EVENTS_WAITING_MAX,
  TRIGGER_READ_AGAIN_MS,
  TRIGGER_RETRY_DELAYS_MS,
  TRIGGER_RUNS_MAX,
  TRIGGER_SAVE_INTERVAL_MS,
  TRIGGER_SAVE_SEQUENCES,
  TRIGGER_SET_ASIDE_MAX,
} from '#base/trigger-limits.ts';
import { keyedUid, formatUid } from '#base/uid.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { errorCatalogue } from '@trellis/contract/errors.ts';
import type { Trigger } from '@trellis/contract/shapes/trigger.ts';
import type { TaskError } from '../task.ts';
import { EventLanes, type WaitingEvent } from './event-lanes.ts';
import type { RunPlaces } from './run-places.ts';
import type {
  ChangeFeed,
  FoundChanges,
  SetAsideEvent,
  StoredTrigger,
  TriggerCall,
  TriggerEndpoints,
  TriggerLine,
} from './trigger.ts';
import { type TriggerStore, writeSetAside, writeTrigger } from './trigger-store.ts';

export interface EndpointTriggerParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly store: Pick<TriggerStore, 'setAside'>;
  readonly feed: ChangeFeed;
  readonly endpoints: TriggerEndpoints;
  readonly places: RunPlaces;
  readonly clock: Clock;
  readonly alarm: Alarm;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  readonly onFault: (error: unknown) => void;
  /** Told when it shows something else. */
  readonly onChange: () => void;
  /** Told when another part of the log is needed. */
  readonly onPosition: () => void;
}

/** Why an event has not run to its end. */
interface Refusal {
  readonly error: TaskError;
  /** How often it was tried. */
  readonly attempts: number;
  /** Another try cannot go better. */
  readonly isFinal: boolean;
  /** Nothing was tried: workers are busy. */
  readonly isBusy?: boolean;
}

/**
 * Follows the log for one endpoint, and runs it for each event. Its position is written after what
 * it says has run: after a crash some events run again, and none is left out.
 */
export class EndpointTrigger {
  readonly #parts: EndpointTriggerParts;
  #stored: StoredTrigger;
  #lanes = new EventLanes();
  /** Where reading goes on. */
  #next: { readonly after: number; readonly skip: number };
  #running = 0;
  readonly #counts = { runs: 0, failures: 0 };
  #lastRunAt: string | null = null;
  #lastError: TaskError | null = null;
  /** Runs have ended since the position was written. */
  #isUnsaved = false;
  #saving: Disposable | undefined;
  readonly #writes = new OneAtATime();
  #active: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  /** Ends one step of reading, as there will be other lines once `#change` resolves. */
  #step = new AbortController();
  #change: Promise<void> = Promise.resolve();
  #onRoom: (() => void) | undefined;

  constructor(stored: StoredTrigger, parts: EndpointTriggerParts) {
    this.#stored = stored;
    this.#parts = parts;
    this.#next = { after: stored.position, skip: 0 };
  }

  get stored(): StoredTrigger {
    return this.#stored;
  }

  start(): void {
    if (this.#active !== undefined || this.#stored.isPaused) return;
    this.#lanes = new EventLanes();
    this.#next = { after: this.#stored.position, skip: 0 };
    const stop = new AbortController();
    const ended = this.#follow(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) this.#parts.onFault(error);
    });
    this.#active = { stop, ended };
  }

  /** Runs that are under way are aborted; their events run again at the next start. */
  async stop(): Promise<void> {
    const active = this.#active;
    this.#active = undefined;
    active?.stop.abort(new Error('the trigger is stopped'));
    this.#saving?.[Symbol.dispose]();
    this.#saving = undefined;
    this.#onRoom?.();
    await active?.ended;
    if (this.#isUnsaved) await this.#save().catch(this.#parts.onFault);
  }

  /** Other lines from now on. What is read of them is what comes from now on. */
  async setLines(lines: readonly TriggerLine[]): Promise<void> {
    const changed = Promise.withResolvers<void>();
    this.#change = changed.promise;
    this.#step.abort();
    try {
      await this.#write(() => ({ lines }));
      // A part of a commit was counted by the lines of before.
      this.#next = { ...this.#next, skip: 0 };
    } finally {
      this.#step = new AbortController();
      changed.resolve();
    }
  }

  async pause(reason: string | null): Promise<void> {
    await this.stop();
    await this.#write(() => ({ isPaused: true, reason }));
  }

  async resume(): Promise<void> {
    await this.#write(() => ({ isPaused: false, reason: null }));
    this.start();
  }

  /** Runs an event that was set aside, once. Undefined when it went well. */
  async again(event: SetAsideEvent, signal: AbortSignal): Promise<TaskError | undefined> {
    const outcome = await this.#run(event, signal);
    return outcome?.error;
  }

  shown(): Trigger {
    const { endpoint, lines, isPaused, reason, position, missed } = this.#stored;
    const { store } = this.#parts;
    return {
      endpoint,
      lines: lines.map(({ event, type }) => ({ event, type })),
      isPaused,
      reason,
      position,
      waiting: this.#lanes.size,
      setAside: store.setAside(endpoint).length,
      ...this.#counts,
      lastRunAt: this.#lastRunAt,
      lastError: this.#lastError,
      missed,
    };
  }

  /** To be called when there may be room for another run. Whether one has begun. */
  pump(): boolean {
    const { places } = this.#parts;
    const signal = this.#active?.stop.signal;
    if (signal === undefined || this.#running >= TRIGGER_RUNS_MAX || !places.take()) return false;
    const event = this.#lanes.take();
    if (event === undefined) {
      places.leave();
      return false;
    }
    this.#running++;
    void this.#try(event, signal)
      .catch(this.#parts.onFault)
      .finally(() => {
        this.#running--;
        places.free();
        this.#parts.onChange();
      });
    return true;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#lanes.size >= TRIGGER_EVENTS_WAITING_MAX) {
        await new Promise<void>((resolve) => (this.#onRoom = resolve));
        continue;
      }
      await this.#change;
      const found = await this.#read(signal);
      if (found === undefined || signal.aborted) continue;
      if (found.isLost) await this.#noteLoss(found.after);
      this.#next = { after: found.after, skip: found.skip };
      for (const event of found.events) this.#lanes.add(event);
      if (found.events.length > 0) this.#parts.onChange();
      while (this.pump());
      this.#moved();
    }
  }

  /** Undefined when it is to be asked again. */
  async #read(stopped: AbortSignal): Promise<FoundChanges | undefined> {
    const { feed, onFault } = this.#parts;
    const step = this.#step.signal;
    const asked = { ...this.#next, lines: this.#stored.lines };
    try {
      const found = await feed.next(asked, AbortSignal.any([stopped, step]));
      return step.aborted ? undefined : found;
    } catch (error) {
      if (stopped.aborted || step.aborted) return undefined;
      onFault(error);
      await pauseFor(this.#parts.alarm, TRIGGER_READ_AGAIN_MS, stopped);
      return undefined;
    }
  }

  async #try(event: WaitingEvent, signal: AbortSignal): Promise<void> {
    const lanes = this.#lanes;
    // A line that is gone runs nothing any more.
    const isWanted = this.#stored.lines.some(
      ({ event: kind, type }) => kind === event.event && type === event.type,
    );
    const refused = isWanted ? await this.#run(event, signal) : undefined;
    if (signal.aborted) return;
    const isOver =
      refused === undefined || (isLast(refused) && (await this.#setAside(event, refused)));
    if (signal.aborted) return;
    if (isOver) {
      lanes.done(event);
      if (lanes.size < TRIGGER_EVENTS_WAITING_MAX) this.#onRoom?.();
      this.#isUnsaved = true;
      this.#moved();
      return;
    }
    if (!refused.isBusy) event.attempts++;
    const delayMs = refused.isBusy
      ? TRIGGER_BUSY_DELAY_MS
      : must(TRIGGER_RETRY_DELAYS_MS[event.attempts - 1], 'the delay after a try');
    void pauseFor(this.#parts.alarm, delayMs, signal).then(() => {
      if (signal.aborted) return;
      lanes.giveBack(event);
      while (this.pump());
    });
  }

  /** Undefined when it went well. */
  async #run(
    { attempts, chain: before, body }: Pick<WaitingEvent, 'attempts' | 'chain' | 'body'>,
    signal: AbortSignal,
  ): Promise<Refusal | undefined> {
    const { endpoint } = this.#stored;
    const chain = [...before, endpoint];
    if (before.length >= TRIGGER_CHAIN_MAX) {
      const { code, message } = new Problem(
        'trigger_loop',
        `More than ${TRIGGER_CHAIN_MAX} endpoints would run one another: ${chain.join(' > ')}`,
      );
      return { error: { code, message }, isFinal: true, attempts };
    }
    const outcome = await this.#call({ endpoint, chain, body, signal });
    if (signal.aborted) return undefined;
    if (outcome !== undefined && outcome.error.code === 'endpoint_overloaded')
      return { ...outcome, isBusy: true, attempts };
    const { clock } = this.#parts;
    this.#counts.runs++;
    if (outcome !== undefined) this.#counts.failures++;
    this.#lastRunAt = new Date(clock.now()).toISOString();
    this.#lastError = outcome?.error ?? null;
    return outcome && { ...outcome, attempts: attempts + 1 };
  }

  async #call(
    call: TriggerCall,
  ): Promise<{ readonly error: TaskError; readonly isFinal: boolean } | undefined> {
    try {
      const { status, body } = await this.#parts.endpoints.run(call);
      if (status < 400) return undefined;
      const message = this.#text(`The endpoint answers ${status}: ${body ?? ''}`);
      return { error: { code: 'endpoint_failed', message }, isFinal: isFinal(status) };
    } catch (error) {
      if (!(error instanceof Problem)) {
        if (!call.signal.aborted) this.#parts.onFault(error);
        const message = 'The server could not run it';
        return { error: { code: 'internal_error', message }, isFinal: false };
      }
      const { code, message } = error;
      const { status } = errorCatalogue[code];
      return { error: { code, message: this.#text(message) }, isFinal: isFinal(status) };
    }
  }

  /** False when there is no room for it, and the trigger is paused. */
  async #setAside(event: WaitingEvent, { attempts, error }: Refusal): Promise<boolean> {
    const { clock, store } = this.#parts;
    const { endpoint } = this.#stored;
    if (store.setAside(endpoint).length >= TRIGGER_SET_ASIDE_MAX) {
      const reason = `${TRIGGER_SET_ASIDE_MAX} events are set aside. The last error: ${error.message}`;
      void this.pause(reason).catch(this.#parts.onFault);
      return false;
    }
    const { firstSequence: _first, ...told } = event;
    const id = idOf(endpoint, event);
    const setAsideAt = new Date(clock.now()).toISOString();
    const setAside: SetAsideEvent = { ...told, id, endpoint, setAsideAt, attempts, error };
    await commitAndRead([writeSetAside(setAside)], this.#parts);
    return true;
  }

  /** Everything up to this sequence has run, or is set aside. */
  get #reached(): number {
    const { oldest } = this.#lanes;
    return oldest === undefined ? this.#next.after : oldest.firstSequence - 1;
  }

  #moved(): void {
    const ahead = this.#reached - this.#stored.position;
    if (ahead <= 0 || (!this.#isUnsaved && ahead < TRIGGER_SAVE_SEQUENCES)) return;
    const save = (): void => {
      this.#saving = undefined;
      void this.#save().catch(this.#parts.onFault);
    };
    this.#saving ??= this.#parts.alarm(TRIGGER_SAVE_INTERVAL_MS, save);
  }

  async #save(): Promise<void> {
    await this.#write(() => {
      this.#isUnsaved = false;
      return { position: this.#reached };
    });
  }

  async #noteLoss(begin: number): Promise<void> {
    const from = this.#next.after + 1;
    const at = new Date(this.#parts.clock.now()).toISOString();
    const { endpoint } = this.#stored;
    this.#parts.onFault(
      new Error(`the log from ${from} to ${begin} is gone: "${endpoint}" missed what happened`),
    );
    await this.#write(() => ({ missed: { from, to: begin, at } }));
  }

  #write(change: () => Partial<StoredTrigger>): Promise<void> {
    return this.#writes.run(async () => {
      const changed = { ...this.#stored, ...change() };
      await commitAndRead([writeTrigger(changed)], this.#parts);
      const hasMoved = changed.position !== this.#stored.position;
      this.#stored = changed;
      this.#parts.onChange();
      if (hasMoved) this.#parts.onPosition();
    });
  }

  #text(text: string): string {
    const redacted = this.#parts.redact(text);
    return redacted.length <= TRIGGER_ERROR_CHARACTERS_MAX
      ? redacted
      : `${redacted.slice(0, TRIGGER_ERROR_CHARACTERS_MAX)}...`;
  }
}

function isLast({ isFinal: isHopeless, attempts }: Refusal): boolean {
  return isHopeless || attempts > TRIGGER_RETRY_DELAYS_MS.length;
}

/** Whether another try cannot go better: the code itself says so. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && ![408, 409, 425, 429].includes(status);
}

/** The same for the same event, so that an event that runs again after a crash has one entry. */
function idOf(endpoint: string, { event, uid, sequence }: WaitingEvent): string {
  return formatUid(keyedUid('_TriggerEvent', `${endpoint} ${sequence} ${event} ${uid}`));
}
