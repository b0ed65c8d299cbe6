import type { AuditTrail } from '#access/audit-event.ts';
import { deed, type Doer } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { accessOf } from '#access/node-access.ts';
import type {
  Merge,
  MergedNode,
  MergeRequest,
  SplitNodes,
} from '@trellis/contract/shapes/duplicate.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type { NodeReference } from '@trellis/contract/shapes/node-reference.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { FieldValue } from '#graph/field-types.ts';
import { MERGE_TYPE, MERGED_INTO } from '#graph/merge-record.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { DuplicateStore, pairId } from './duplicate-store.ts';
import { nameOfNode } from '#graph/node-label.ts';

export interface MergeParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
}

/** Two nodes that become one, and one that becomes two again; each is one commit. */
export class MergeService {
  readonly #parts: MergeParts;
  readonly #store: DuplicateStore;

  constructor(parts: MergeParts) {
    this.#parts = parts;
    this.#store = new DuplicateStore(parts.reader);
  }

  /**
   * Throws `node_not_found`, `merge_refused`, `version_conflict`, `not_unique`,
   * `invalid_operation`. `score` is that of a rule, which has merged.
   */
  async merge(doer: Doer, request: MergeRequest, score?: number): Promise<MergedNode> {
    const { reader, commits, audit } = this.#parts;
    reader.refresh();
    const into = this.#uidOf(request.into, 'into');
    const node = this.#uidOf(request.node, 'node');
    const id = formatUid(randomUid());
    const details = { merge: id, node, ...(score === undefined ? {} : { rule: true, score }) };
    const event = deed('node.merged', doer, { kind: 'node', id: into }, details);
    const { userUid } = doer.caller;
    const { fields, intoVersion, nodeVersion } = request;
    await commits.commit({
      system: true,
      operations: [audit.operation(event), ...this.#store.removing(pairId(into, node))],
      merges: [
        {
          id,
          into,
          node,
          intoVersion,
          nodeVersion,
          ...(fields === undefined ? {} : { fields: fields as Record<string, FieldValue> }),
          ...(userUid === null ? {} : { by: userUid }),
        },
      ],
      ...(userUid === null ? {} : { user: userUid }),
    });
    reader.refresh();
    const stays = reader.id({ uid: into });
    const shown = stays === undefined ? undefined : reader.node(stays);
    // Somebody else may have deleted it by now.
    if (stays === undefined || shown === undefined) throw nodeNotFound('into');
    const version = must(reader.version(stays), 'the version of a node');
    return { id, node: shown, version, access: accessOf(reader, stays) };
  }

  /** The newest first. */
  merges(_caller: Caller, { skip, take }: Page): List<Merge> {
    const { reader } = this.#parts;
    reader.refresh();
    const ids = reader.idsOfType(MERGE_TYPE, { skip, take });
    const items = ids.map((id) => this.#read(id)).filter((one) => one !== undefined);
    return { items, total: reader.countOfType(MERGE_TYPE), skip, take };
  }

  /** Throws `merge_not_found`, `merge_not_last`, `not_unique`. */
  async split(doer: Doer, id: string): Promise<SplitNodes> {
    const { reader, commits, audit } = this.#parts;
    reader.refresh();
    const found = reader.id({ type: MERGE_TYPE, key: id });
    const merge = found === undefined ? undefined : this.#read(found);
    if (merge === undefined) throw new Problem('merge_not_found', 'There is no such merge.');
    const { into, node } = merge;
    const details = { merge: id, node };
    const event = deed('node.split', doer, { kind: 'node', id: into.uid }, details);
    const { userUid } = doer.caller;
    await commits.commit({
      system: true,
      operations: [audit.operation(event)],
      split: { id },
      ...(userUid === null ? {} : { user: userUid }),
    });
    reader.refresh();
    const [stays, back] = [into.uid, node].map((uid) => {
      const one = reader.id({ uid });
      return one === undefined ? undefined : reader.node(one);
    });
    if (stays === undefined || back === undefined) throw nodeNotFound('id');
    return { into: stays, node: back };
  }

  #uidOf(reference: NodeReference, path: string): string {
    const { reader } = this.#parts;
    const id = reader.id(reference);
    const uid = id === undefined ? undefined : reader.uid(id);
    if (uid === undefined) throw nodeNotFound(path);
    return uid;
  }

  #read(id: number): Merge | undefined {
    const { reader } = this.#parts;
    const names = ['Id', 'OfType', 'Timestamp', 'By', 'Absorbed', 'Number'];
    const [key, type, at, by, node, number] = reader.fields(id, names)?.values ?? [];
    const [survivor] = reader.neighbors(id, 'out', MERGED_INTO);
    const into = survivor === undefined ? undefined : nameOfNode(reader, survivor);
    if (survivor === undefined || into === undefined) return undefined;
    const later = reader
      .neighbors(survivor, 'in', MERGED_INTO)
      .some((other) => Number(reader.field(other, 'Number')) > Number(number));
    return {
      id: String(key),
      type: reader.typeNamed(String(type)),
      at: String(at),
      by: typeof by === 'string' ? by : null,
      into,
      node: String(node),
      isLast: !later,
    };
  }
}

function nodeNotFound(path: string): Problem {
  return new Problem('node_not_found', `${path}: there is no such node.`, { details: { path } });
}
