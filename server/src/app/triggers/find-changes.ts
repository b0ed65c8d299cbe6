import {
  TRIGGER_BODY_CHARACTERS_MAX,
  TRIGGER_STEP_CHARACTERS_MAX,
  TRIGGER_STEP_EVENTS_MAX,
  TRIGGER_STEP_SEQUENCES_MAX,
} from '#base/trigger-limits.ts';
import { Problem } from '#base/problem.ts';
import { type ChangedNode, changesOfCommit } from '#graph/node-changes.ts';
import type { SchemaRegistry } from '#graph/schema-registry.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';
import type { LogRecord } from '#log/commit-log.ts';
import type { LogTail } from '#log/log-tail.ts';
import type {
  AskedChanges,
  FoundChanges,
  FoundEvent,
  TriggerLine,
} from '#tasks/triggers/trigger.ts';

export interface ChangeSource {
  readonly log: Pick<LogTail, 'firstSequence' | 'read'>;
  readonly applied: Pick<AppliedSequence, 'get' | 'onChange'>;
  /** The newest schema. */
  readonly registry: () => SchemaRegistry;
}

/**
 * Finds in the log what triggers wait for. Resolves once there is an event, or when so much was
 * read that the position should move on. Rejects with the signal's reason.
 */
export async function findChanges(
  source: ChangeSource,
  { after, skip, lines }: AskedChanges,
  signal: AbortSignal,
): Promise<FoundChanges> {
  const step = new Step(lines, { after, skip });
  for (;;) {
    signal.throwIfAborted();
    try {
      await readOn(source, step, signal);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'log_trimmed') throw error;
      if (step.events.length === 0) return step.lost(source.log.firstSequence - 1);
    }
    if (step.isWorthwhile) return step.found();
    await newerThan(source.applied, step.after, signal);
  }
}

async function readOn(
  { log, applied, registry }: ChangeSource,
  step: Step,
  signal: AbortSignal,
): Promise<void> {
  if (step.after >= applied.get()) return;
  const schema = registry();
  for await (const record of log.read(step.after + 1)) {
    signal.throwIfAborted();
    if (!step.take(record, schema)) return;
  }
}

class Step {
  readonly events: FoundEvent[] = [];
  after: number;
  #skip: number;
  #characters = 0;
  readonly #begin: number;
  readonly #lines: readonly TriggerLine[];
  readonly #types: ReadonlySet<string>;

  constructor(
    lines: readonly TriggerLine[],
    { after, skip }: { readonly after: number; readonly skip: number },
  ) {
    this.#lines = lines;
    this.#types = new Set(lines.map(({ type }) => type));
    this.#begin = after;
    this.after = after;
    this.#skip = skip;
  }

  get isWorthwhile(): boolean {
    return this.events.length > 0 || this.after - this.#begin >= TRIGGER_STEP_SEQUENCES_MAX;
  }

  found(): FoundChanges {
    return { events: this.events, after: this.after, skip: this.#skip, isLost: false };
  }

  lost(after: number): FoundChanges {
    return { events: [], after, skip: 0, isLost: true };
  }

  /** False when the step is large enough; the record may then be taken in part. */
  take({ first, last: sequence, time, payload }: LogRecord, schema: SchemaRegistry): boolean {
    const { triggers: chain, nodes } = changesOfCommit(payload, schema, this.#types);
    const at = new Date(time).toISOString();
    const wanted = nodes.filter(({ event, type }) =>
      this.#lines.some((line) => line.event === event && line.type === type && line.since < first),
    );
    for (const node of wanted.slice(this.#skip)) {
      if (this.#isFull) return false;
      const { event, type, uid, key } = node;
      const body = bodyOf(node, { sequence, at });
      const commit = { sequence, firstSequence: first, at, chain };
      this.events.push({ event, type, uid, key, body, ...commit });
      this.#characters += body.length;
      this.#skip++;
    }
    this.#skip = 0;
    this.after = sequence;
    return !this.#isFull && this.after - this.#begin < TRIGGER_STEP_SEQUENCES_MAX;
  }

  get #isFull(): boolean {
    return (
      this.events.length >= TRIGGER_STEP_EVENTS_MAX ||
      this.#characters >= TRIGGER_STEP_CHARACTERS_MAX
    );
  }
}

function bodyOf(
  node: ChangedNode,
  commit: { readonly sequence: number; readonly at: string },
): string {
  const { event, type, uid, key, bytes } = node;
  const head = { event, type, uid, key };
  if (bytes <= TRIGGER_BODY_CHARACTERS_MAX) {
    const body = JSON.stringify({
      ...head,
      before: node.before(),
      after: node.after(),
      ...commit,
    });
    if (body.length <= TRIGGER_BODY_CHARACTERS_MAX) return body;
  }
  return JSON.stringify({ ...head, ...commit, isCut: true });
}

function newerThan(
  applied: ChangeSource['applied'],
  sequence: number,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = applied.onChange((newest) => {
    if (newest > sequence) resolve();
  });
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  // It may have come before anybody listened.
  if (applied.get() > sequence) resolve();
  if (signal.aborted) abort();
  return promise.finally(() => {
    stop();
    signal.removeEventListener('abort', abort);
  });
}
