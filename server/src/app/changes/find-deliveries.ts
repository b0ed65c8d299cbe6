import {
  WEBHOOK_BODY_CHARACTERS_MAX,
  WEBHOOK_CHANGE_CHARACTERS_MAX,
  WEBHOOK_CHANGES_MAX,
  WEBHOOK_STEP_CHARACTERS_MAX,
  WEBHOOK_STEP_DELIVERIES_MAX,
  WEBHOOK_STEP_SEQUENCES_MAX,
} from '#base/webhook-limits.ts';
import { isSystemName } from '#graph/names.ts';
import type { ChangedEdge } from '#graph/edge-changes.ts';
import type { ChangedNode, CommitChanges } from '#graph/node-changes.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { SchemaRegistry } from '#graph/schema-registry.ts';
import type {
  AskedDeliveries,
  ChangeReference,
  FoundDeliveries,
  FoundDelivery,
  NodeName,
} from '#webhooks/webhook.ts';
import type { CommitWindow, DecodedCommit } from './commit-window.ts';
import { findInLog, type LogStep } from './find-in-log.ts';

/** Names the ends of edges. */
export type NameReader = Pick<GraphReader, 'uid' | 'typeOf' | 'field'>;

/**
 * Finds in the log what a webhook is to deliver. Resolves once there is a delivery, or when so much
 * was read that the position should move on. Rejects with the signal's reason.
 */
export async function findDeliveries(
  commits: CommitWindow,
  names: NameReader,
  asked: AskedDeliveries,
  signal: AbortSignal,
): Promise<FoundDeliveries> {
  const step = new Step(asked, names, commits);
  const lost = await findInLog(commits, step, signal);
  return lost === undefined
    ? step.found()
    : { deliveries: [], after: lost, skip: 0, part: 1, isLost: true };
}

class Step implements LogStep {
  readonly deliveries: FoundDelivery[] = [];
  after: number;
  #skip: number;
  #part: number;
  #characters = 0;
  readonly #begin: number;
  readonly #asked: AskedDeliveries;
  readonly #names: NameReader;
  readonly #schema: Pick<CommitWindow, 'registry'>;

  constructor(asked: AskedDeliveries, names: NameReader, schema: Pick<CommitWindow, 'registry'>) {
    this.#schema = schema;
    this.#asked = asked;
    this.#names = names;
    this.#begin = asked.after;
    this.after = asked.after;
    this.#skip = asked.skip;
    this.#part = asked.part;
  }

  get isEmpty(): boolean {
    return this.deliveries.length === 0;
  }

  get isWorthwhile(): boolean {
    return !this.isEmpty || this.after - this.#begin >= WEBHOOK_STEP_SEQUENCES_MAX;
  }

  found(): FoundDeliveries {
    const { deliveries, after } = this;
    return { deliveries, after, skip: this.#skip, part: this.#part, isLost: false };
  }

  take({ first, last: sequence, time, changes }: DecodedCommit): boolean {
    const wanted = wantedOf(changes, this.#asked, this.#schema.registry);
    const at = new Date(time).toISOString();
    while (this.#skip < wanted.length) {
      if (this.#isFull) return false;
      const begin = this.#skip;
      const told = this.#tell(wanted, changes);
      const end = this.#skip;
      const isLast = end >= wanted.length;
      const part = this.#part++;
      if (told.changes.length + told.references.length === 0) continue;
      this.deliveries.push({ first, sequence, at, part, begin, end, isLast, ...told });
    }
    this.#skip = 0;
    this.#part = 1;
    this.after = sequence;
    return !this.#isFull && this.after - this.#begin < WEBHOOK_STEP_SEQUENCES_MAX;
  }

  /** The next part of a commit: the same each time it is read. */
  #tell(
    wanted: readonly Change[],
    commit: CommitChanges,
  ): Pick<FoundDelivery, 'changes' | 'references'> {
    const { isFull, isAsUser } = this.#asked;
    const texts: string[] = [];
    const references: ChangeReference[] = [];
    const begin = this.#skip;
    let characters = 0;
    while (this.#skip < wanted.length && this.#skip - begin < WEBHOOK_CHANGES_MAX) {
      const change = wanted[this.#skip]!;
      const reference = this.#reference(change, commit);
      if (reference !== undefined && isAsUser) references.push(reference);
      if (reference !== undefined && !isAsUser) {
        const text = textOf(change, reference, isFull);
        if (characters > 0 && characters + text.length > WEBHOOK_BODY_CHARACTERS_MAX) break;
        texts.push(text);
        characters += text.length;
      }
      this.#skip++;
    }
    this.#characters += characters + references.length * REFERENCE_CHARACTERS;
    return { changes: texts, references };
  }

  /** Undefined for an edge of which an end is gone by now: of that its deletion tells. */
  #reference(change: Change, commit: CommitChanges): ChangeReference | undefined {
    const { node, edge } = change;
    if (node !== undefined) {
      const { event: action, uid, type, key, wasRestricted } = node;
      return { action, type, uid, key, wasRestricted };
    }
    const from = this.#nameOf(edge.from, commit);
    const to = this.#nameOf(edge.to, commit);
    if (from === undefined || to === undefined) return undefined;
    return { action: edge.event, edge: edge.type, from, to };
  }

  #nameOf(id: number, commit: CommitChanges): NodeName | undefined {
    const names = this.#names;
    const [uid, type] = [names.uid(id), names.typeOf(id)];
    if (uid !== undefined && type !== undefined) {
      const key = names.field(id, 'Id');
      return { uid, type, key: typeof key === 'string' ? key : null };
    }
    const deleted = deletedIn(commit).get(id);
    return deleted && { uid: deleted.uid, type: deleted.type, key: deleted.key };
  }

  get #isFull(): boolean {
    return (
      this.deliveries.length >= WEBHOOK_STEP_DELIVERIES_MAX ||
      this.#characters >= WEBHOOK_STEP_CHARACTERS_MAX
    );
  }
}

const REFERENCE_CHARACTERS = 200;

type Change =
  | { readonly node: ChangedNode; readonly edge?: undefined }
  | { readonly edge: ChangedEdge; readonly node?: undefined };

/**
 * Without types and edges all are wanted; with either of them, those alone. Nodes come before
 * edges.
 */
function wantedOf(
  { nodes, edges }: CommitChanges,
  filter: AskedDeliveries,
  registry: SchemaRegistry,
): Change[] {
  // A type may be named by a former name, in the filter and in a commit that was read before.
  const ofNodes = (name: string): string => registry.nodeType(name)?.name ?? name;
  const ofEdges = (name: string): string => registry.edgeType(name)?.name ?? name;
  const types = filter.types && new Set(filter.types.map(ofNodes));
  const edgeTypes = filter.edges && new Set(filter.edges.map(ofEdges));
  const { actions } = filter;
  const isAll = types === null && edgeTypes === null;
  const isWanted = (event: ChangeReference['action']): boolean => actions?.includes(event) ?? true;
  const found: Change[] = [];
  for (const node of nodes) {
    if (isSystemName(node.type) || !isWanted(node.event)) continue;
    if (isAll || types?.has(ofNodes(node.type)) === true) found.push({ node });
  }
  for (const edge of edges) {
    if (!isWanted(edge.event)) continue;
    if (isAll || edgeTypes?.has(ofEdges(edge.type)) === true) found.push({ edge });
  }
  return found;
}

function textOf(change: Change, reference: ChangeReference, isFull: boolean): string {
  const { node, edge } = change;
  const told: object = node === undefined ? reference : withoutRestriction(reference);
  if (!isFull) return JSON.stringify(told);
  if (node !== undefined) {
    if (node.bytes <= WEBHOOK_CHANGE_CHARACTERS_MAX) {
      const text = JSON.stringify({ ...told, node: node.after() });
      if (text.length <= WEBHOOK_CHANGE_CHARACTERS_MAX) return text;
    }
    return JSON.stringify({ ...told, isCut: true });
  }
  const timestamp = edge.timestamp();
  const full = timestamp === undefined ? {} : { timestamp, fields: edge.fields() };
  const text = JSON.stringify({ ...told, ...full });
  return text.length <= WEBHOOK_CHANGE_CHARACTERS_MAX
    ? text
    : JSON.stringify({ ...told, isCut: true });
}

function withoutRestriction(reference: ChangeReference): object {
  if (!('wasRestricted' in reference)) return reference;
  const { wasRestricted: _wasRestricted, ...told } = reference;
  return told;
}

const deletedByCommit = new WeakMap<CommitChanges, Map<number, ChangedNode>>();

function deletedIn(commit: CommitChanges): Map<number, ChangedNode> {
  let found = deletedByCommit.get(commit);
  if (found === undefined) {
    const deleted = commit.nodes.filter(({ event }) => event === 'deleted');
    found = new Map(deleted.map((node) => [node.id, node]));
    deletedByCommit.set(commit, found);
  }
  return found;
}
