import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { setImmediate as turn } from 'node:timers/promises';
import type { Caller } from '#access/caller.ts';
import { AUDIT_SCAN_MAX } from '#base/limits.ts';
import type { GraphReader } from '#graph/reader.ts';
import { AUDIT_TYPE, STRANGER_AUDIT_TYPE } from './audit-trail.ts';

export interface AuditFilter {
  /** A whole action, or the area before its dot. */
  readonly action?: string | undefined;
  /** UID or name. */
  readonly user?: string | undefined;
  /** UID, id or name. */
  readonly target?: string | undefined;
  readonly outcome?: 'success' | 'failure' | undefined;
  /** ISO 8601: not before this time, and before that one. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** An event as it is listed. */
export interface ListedEvent {
  readonly uid: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly action: string;
  readonly actor: { readonly uid: string; readonly name: string } | null;
  readonly target: {
    readonly kind: string;
    readonly id: string;
    readonly name: string | null;
  } | null;
  readonly outcome: string;
  readonly address: string | null;
  readonly details: unknown;
}

/** Events are read by so many in one turn of the event loop, which serves HTTP as well. */
const EVENTS_A_TURN = 500;

/** What administrators read of the audit trail. */
export class AuditService {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /**
   * Newest first. With a filter the total counts what was found before the answer was full: a lower
   * bound.
   */
  async list(
    _caller: Caller,
    query: AuditFilter & { readonly skip: number; readonly take: number },
  ): Promise<{ items: ListedEvent[]; total: number; skip: number; take: number }> {
    const { skip, take } = query;
    const reader = this.#reader;
    reader.refresh();
    if (isUnfiltered(query)) {
      const ids = this.#newest(skip + take).slice(skip);
      const items = ids.map((id) => reader.node(id)).filter((node) => node !== undefined);
      const total = reader.countOfType(AUDIT_TYPE) + reader.countOfType(STRANGER_AUDIT_TYPE);
      return { items: items.map(listed), total, skip, take };
    }
    const ids = this.#newest(AUDIT_SCAN_MAX);
    const items: ListedEvent[] = [];
    let found = 0;
    for (let i = 0; i < ids.length && found <= skip + take; i++) {
      if (i > 0 && i % EVENTS_A_TURN === 0) await turn();
      const node = reader.node(ids[i] ?? 0);
      if (node === undefined || !matches(node, query)) continue;
      if (++found > skip && items.length < take) items.push(listed(node));
    }
    return { items, total: found, skip, take };
  }

  /** Ids of events, newest first: each is greater than those before it, whatever its type. */
  #newest(take: number): number[] {
    const [events, ofStrangers] = [AUDIT_TYPE, STRANGER_AUDIT_TYPE].map((type) =>
      this.#reader.idsOfType(type, { take }),
    );
    const merged: number[] = [];
    let [i, j] = [0, 0];
    while (merged.length < take) {
      const [one, other] = [events?.[i], ofStrangers?.[j]];
      if (one === undefined && other === undefined) break;
      if (other === undefined || (one !== undefined && one > other)) {
        merged.push(one ?? 0);
        i++;
      } else {
        merged.push(other);
        j++;
      }
    }
    return merged;
  }
}

function isUnfiltered({ action, user, target, outcome, from, to }: AuditFilter): boolean {
  return [action, user, target, outcome, from, to].every((one) => one === undefined);
}

function matches(node: NodeObject, filter: AuditFilter): boolean {
  const { action, user, target, outcome, from, to } = filter;
  const atMs = Date.parse(node.Timestamp);
  const its = String(node['Action']);
  return (
    (action === undefined || its === action || its.startsWith(`${action}.`)) &&
    (user === undefined || isNamed(user, node['ActorUid'], node['ActorName'])) &&
    (target === undefined || isNamed(target, node['TargetId'], node['TargetName'])) &&
    (outcome === undefined || node['Outcome'] === outcome) &&
    (from === undefined || atMs >= Date.parse(from)) &&
    (to === undefined || atMs < Date.parse(to))
  );
}

function isNamed(wanted: string, id: unknown, name: unknown): boolean {
  return id === wanted || String(name).toLowerCase() === wanted.toLowerCase();
}

function listed(node: NodeObject): ListedEvent {
  const { ActorUid: actor, TargetKind: kind, TargetId: target } = node;
  return {
    uid: node.UID,
    at: node.Timestamp,
    action: String(node['Action']),
    actor: actor === undefined ? null : { uid: String(actor), name: String(node['ActorName']) },
    target:
      kind === undefined
        ? null
        : { kind: String(kind), id: String(target), name: textOrNull(node['TargetName']) },
    outcome: String(node['Outcome']),
    address: textOrNull(node['Address']),
    details: node['Details'] ?? null,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
