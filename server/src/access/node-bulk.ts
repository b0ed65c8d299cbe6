import { NODES_CHANGED_TOGETHER } from '@trellis/contract/limits.ts';
import type {
  ChangedNode,
  ManyNodesChange,
  ManyNodesOutcome,
} from '@trellis/contract/shapes/node-write.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { turns } from '#base/turns.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { AccessService } from './access-service.ts';
import { type AuditTrail, deed, type Doer } from './audit-event.ts';
import { budgetKey, type Caller } from './caller.ts';
import {
  checkMayLink,
  checkMayWrite,
  linkOperation,
  nodeNotFound,
  uidNow,
} from './node-operations.ts';
import { type NodeReads, NodeTurns, NodeView } from './node-view.ts';

export interface NodeBulkParts {
  readonly reads: NodeReads;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly access: Pick<AccessService, 'nodeChange'>;
}

type Change = ManyNodesChange['change'];
type Outcome = ManyNodesOutcome['outcomes'][number];

/** A node of the request; the first word about its version counts. */
interface Wanted {
  readonly uid: string;
  readonly version: number | undefined;
}

/** What one node takes. */
interface Planned extends Wanted {
  readonly operations: readonly WriterOperation[];
}

/** Nodes that were deleted or hidden between the look at them and the commit; then it gives up. */
const DROPPED_MAX = 8;

/**
 * One change of many nodes (docs/data.md): each group of `NODES_CHANGED_TOGETHER` is one commit, of
 * those nodes that the caller may change so.
 */
export class NodeBulk {
  readonly #parts: NodeBulkParts;

  constructor(parts: NodeBulkParts) {
    this.#parts = parts;
  }

  /** Throws `node_not_found` for the other end of a link. */
  async change(
    doer: Doer,
    nodes: readonly ChangedNode[],
    change: Change,
  ): Promise<ManyNodesOutcome> {
    const { caller } = doer;
    this.#checkOtherEnd(caller, change);
    const { reader } = this.#parts.reads;
    reader.refresh();
    const unique = eachOnce(nodes, reader);
    const outcomes = new Map<string, Outcome>();
    for (let at = 0; at < unique.length; at += NODES_CHANGED_TOGETHER) {
      if (at > 0) await turns.next(budgetKey(caller));
      const some = unique.slice(at, at + NODES_CHANGED_TOGETHER);
      const planned = await this.#plan(doer, some, change, outcomes);
      await this.#commit(doer, planned, change, outcomes);
    }
    const all = unique.map(({ uid }) => must(outcomes.get(uid), 'an outcome'));
    return { done: all.filter(({ done }) => done).length, outcomes: all };
  }

  #checkOtherEnd(caller: Caller, change: Change): void {
    const { reads } = this.#parts;
    const view = NodeView.open(reads, caller);
    if ('add' in change) linkOperation(reads, view, 'link', '', change.add, 'change.add');
    if ('remove' in change)
      linkOperation(reads, view, 'unlink', '', change.remove, 'change.remove');
  }

  /** Puts the outcome of each node that the caller may not change so. */
  async #plan(
    doer: Doer,
    nodes: readonly Wanted[],
    change: Change,
    outcomes: Map<string, Outcome>,
  ): Promise<Planned[]> {
    const walk = new NodeTurns(this.#parts.reads, doer.caller);
    const planned: Planned[] = [];
    for (const { uid, version } of nodes) {
      if (walk.isSpent) await walk.next();
      try {
        const operations = this.#operations(doer, walk.view, uid, change);
        this.#checkVersion(walk.view, uid, version);
        planned.push({ uid, version, operations });
      } catch (error) {
        outcomes.set(uid, refused(uid, error));
      }
    }
    return planned;
  }

  /** As the writer does again: what it refuses costs another commit. */
  #checkVersion(view: NodeView, uid: string, expected: number | undefined): void {
    const id = expected === undefined ? undefined : view.find(uid);
    const actual = id === undefined ? undefined : this.#parts.reads.reader.version(id);
    if (actual === undefined || actual === expected) return;
    const message = `The node is at version ${actual}, not at version ${expected}`;
    throw new Problem('version_conflict', message);
  }

  #operations(doer: Doer, view: NodeView, uid: string, change: Change): readonly WriterOperation[] {
    const { reads, access } = this.#parts;
    const { caller } = doer;
    if ('access' in change) return access.nodeChange(doer, uid, change.access).operations;
    const id = view.find(uid);
    const type = id === undefined ? undefined : view.typeOf(id);
    if (type === undefined) throw nodeNotFound();
    if ('delete' in change) {
      checkMayWrite(reads, caller, type);
      // By its own UID: another one may lead to it since a merge.
      return [{ op: 'delete', uid: uidNow(reads, uid) }];
    }
    const { operation } =
      'add' in change
        ? linkOperation(reads, view, 'link', uid, change.add, 'change.add')
        : linkOperation(reads, view, 'unlink', uid, change.remove, 'change.remove');
    checkMayLink(reads, caller, operation);
    return [operation];
  }

  async #commit(
    doer: Doer,
    planned: Planned[],
    change: Change,
    outcomes: Map<string, Outcome>,
  ): Promise<void> {
    const left = [...planned];
    for (let dropped = 0; left.length > 0; dropped++) {
      try {
        await this.#send(doer, left, change);
        for (const { uid } of left) outcomes.set(uid, { uid, done: true });
        return;
      } catch (error) {
        const place = dropped < DROPPED_MAX ? placeOf(error, left, change) : undefined;
        const gone = place === undefined ? left.splice(0) : left.splice(place, 1);
        for (const { uid } of gone) outcomes.set(uid, refused(uid, error));
      }
    }
  }

  async #send(doer: Doer, planned: readonly Planned[], change: Change): Promise<void> {
    const { commits, audit, reads } = this.#parts;
    const operations = planned.flatMap((one) => one.operations);
    const expected = planned.flatMap(({ uid, version }) =>
      version === undefined ? [] : [{ uid, version }],
    );
    // What changes access has its events among its operations.
    if ('access' in change) await commits.commit({ system: true, operations, expected });
    else {
      const uids = planned.map(({ uid }) => uid);
      const edge =
        'add' in change ? change.add.edge : 'remove' in change ? change.remove.edge : null;
      const action = edge === null ? 'node.deleted' : 'node.linked';
      const target = { kind: 'nodes', id: String(uids.length) };
      const event = deed(action, doer, target, {
        uids,
        ...(edge === null ? {} : { edges: [edge] }),
      });
      await commits.commit({
        operations,
        user: must(doer.caller.userUid, 'the user of a session'),
        ownRights: { trace: audit.operation(event) },
        expected,
      });
    }
    reads.reader.refresh();
  }
}

function eachOnce(nodes: readonly ChangedNode[], reader: Pick<GraphReader, 'uidOf'>): Wanted[] {
  const versions = new Map<string, number | undefined>();
  for (const node of nodes) {
    const uid = reader.uidOf(node);
    const version = typeof node === 'object' && 'ifVersion' in node ? node.ifVersion : undefined;
    versions.set(uid, versions.get(uid) ?? version);
  }
  return [...versions].map(([uid, version]) => ({ uid, version }));
}

/** The place of the node that the writer refused alone. */
function placeOf(error: unknown, left: readonly Planned[], change: Change): number | undefined {
  if (!(error instanceof Problem)) return undefined;
  if (error.code === 'version_conflict') {
    const place = left.findIndex(({ uid }) => uid === error.details?.['uid']);
    return place < 0 ? undefined : place;
  }
  // Otherwise each has one operation.
  if ('access' in change) return undefined;
  const index = error.details?.['index'];
  const isOfOne = error.code === 'node_not_found' || error.code === 'forbidden';
  return isOfOne && typeof index === 'number' ? index : undefined;
}

function refused(uid: string, error: unknown): Outcome {
  if (!(error instanceof Problem)) throw error;
  const { code, message } = error;
  return { uid, done: false, error: { code, message: message.replace(/^Operation \d+: /, '') } };
}
