import {
  TRIGGER_BODY_CHARACTERS_MAX,
  TRIGGER_STEP_CHARACTERS_MAX,
  TRIGGER_STEP_EVENTS_MAX,
  TRIGGER_STEP_SEQUENCES_MAX,
} from '#base/trigger-limits.ts';
import type { ChangedNode } from '#graph/node-changes.ts';
import type { SchemaRegistry } from '#graph/schema-registry.ts';
import type {
  AskedChanges,
  FoundChanges,
  FoundEvent,
  TriggerLine,
} from '#tasks/triggers/trigger.ts';
import type { CommitWindow, DecodedCommit } from './commit-window.ts';
import { findInLog, type LogStep } from './find-in-log.ts';

/**
 * Finds in the log what triggers wait for. Resolves once there is an event, or when so much was
 * read that the position should move on. Rejects with the signal's reason.
 */
export async function findChanges(
  commits: CommitWindow,
  { after, skip, lines }: AskedChanges,
  signal: AbortSignal,
): Promise<FoundChanges> {
  const step = new Step(lines, { after, skip }, commits);
  const lost = await findInLog(commits, step, signal);
  return lost === undefined ? step.found() : { events: [], after: lost, skip: 0, isLost: true };
}

class Step implements LogStep {
  readonly events: FoundEvent[] = [];
  after: number;
  #skip: number;
  #characters = 0;
  readonly #begin: number;
  readonly #lines: readonly TriggerLine[];
  readonly #names: Pick<CommitWindow, 'registry'>;

  constructor(
    lines: readonly TriggerLine[],
    { after, skip }: { readonly after: number; readonly skip: number },
    names: Pick<CommitWindow, 'registry'>,
  ) {
    this.#names = names;
    this.#lines = lines;
    this.#begin = after;
    this.after = after;
    this.#skip = skip;
  }

  get isEmpty(): boolean {
    return this.events.length === 0;
  }

  get isWorthwhile(): boolean {
    return !this.isEmpty || this.after - this.#begin >= TRIGGER_STEP_SEQUENCES_MAX;
  }

  found(): FoundChanges {
    return { events: this.events, after: this.after, skip: this.#skip, isLost: false };
  }

  /** False when the step is large enough; the record may then be taken in part. */
  take({ first, last: sequence, time, changes }: DecodedCommit): boolean {
    const { triggers: chain, nodes } = changes;
    const at = new Date(time).toISOString();
    const { registry } = this.#names;
    const lines = this.#lines
      .filter(({ since }) => since < first)
      .map((line) => ({ ...line, present: presentName(registry, line.type) }));
    const wanted = nodes.flatMap((node) => {
      const present = presentName(registry, node.type);
      const line = lines.find((one) => one.event === node.event && one.present === present);
      // The endpoint is told the name that its line has: it may be a former one.
      return line === undefined ? [] : [{ node, type: line.type }];
    });
    for (const { node, type } of wanted.slice(this.#skip)) {
      if (this.#isFull) return false;
      const { event, uid, key } = node;
      const body = bodyOf(node, type, { sequence, at });
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

/** Of a node type that may be named by a former name; also in a commit that was read before. */
function presentName(registry: SchemaRegistry, type: string): string {
  return registry.nodeType(type)?.name ?? type;
}

function bodyOf(
  node: ChangedNode,
  type: string,
  commit: { readonly sequence: number; readonly at: string },
): string {
  const { event, uid, key, bytes } = node;
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
