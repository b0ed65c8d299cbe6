import { Problem } from '#base/problem.ts';
import type { FieldValue } from '#graph/field-types.ts';
import { isSystemName } from '#graph/names.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { NodeLink, NodeUnlink } from '@trellis/contract/shapes/node-write.ts';
import type { NodeReference } from '@trellis/contract/shapes/node-reference.ts';
import type { Caller } from './caller.ts';
import type { NodeReads, NodeView } from './node-view.ts';

/** An operation, and the part of the request that it comes from. */
export interface Placed {
  readonly operation: WriterOperation;
  /** Such as `links.2`; empty for the request as a whole. */
  readonly at: string;
}

/** Throws `node_not_found` unless the caller sees the other end. */
export function linkOperation(
  reads: NodeReads,
  view: NodeView,
  op: 'link' | 'unlink',
  uid: string,
  link: NodeLink | NodeUnlink,
  at: string,
): Placed {
  const isOut = 'to' in link;
  const named = isOut ? link.to : link.from;
  const other = referred(reads, view, named, `${at}.${isOut ? 'to' : 'from'}`);
  const ends = isOut ? { from: { uid }, to: other } : { from: other, to: { uid } };
  const { edge } = link;
  if (op === 'unlink') return { operation: { op, edge, ...ends }, at };
  const { fields, timestamp } = link as NodeLink;
  return {
    operation: {
      op,
      edge,
      ...ends,
      ...(fields === undefined ? {} : { fields: fields as Record<string, FieldValue> }),
      ...(timestamp === undefined ? {} : { timestamp }),
    },
    at,
  };
}

/** By a key only where the caller may read it: else it would tell them whose it is. */
function referred(
  { reader }: NodeReads,
  view: NodeView,
  reference: NodeReference,
  path: string,
): { uid: string } {
  const id = reader.id(reference);
  const isByKey = typeof reference === 'object' && 'key' in reference;
  const isKnown = id !== undefined && view.canSee(id) && (!isByKey || view.canReadField(id, 'Id'));
  const uid = isKnown ? reader.uid(id) : undefined;
  if (uid !== undefined) return { uid };
  throw new Problem('node_not_found', `${path}: there is no such node.`, { details: { path } });
}

/** Of an edge the type of its `from` end counts. Throws `forbidden`. */
export function checkMayLink(reads: NodeReads, caller: Caller, operation: WriterOperation): void {
  if (operation.op !== 'link' && operation.op !== 'unlink') return;
  const from = reads.reader.id(operation.from);
  const type = from === undefined ? undefined : reads.reader.typeOf(from);
  checkMayWrite(reads, caller, type ?? '');
}

/** Throws `forbidden`. */
export function checkMayWrite({ access }: NodeReads, caller: Caller, type: string): void {
  if (access.mayWrite(caller, type)) return;
  throw new Problem('forbidden', `You may not write nodes of ${type}.`, {
    hint: isSystemName(type)
      ? 'Use the pages and routes that manage users, teams, access and endpoints.'
      : 'Ask an administrator to let you write this type.',
    details: { type, right: 'writableBy' },
  });
}

/** The UID of the node to which one leads, which is another after a merge; else the same. */
export function uidNow({ reader }: NodeReads, uid: string): string {
  const id = reader.id({ uid });
  return (id === undefined ? undefined : reader.uid(id)) ?? uid;
}

export function nodeNotFound(): Problem {
  return new Problem('node_not_found', 'There is no such node.');
}
