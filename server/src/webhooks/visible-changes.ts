import type { AccessIndex } from '#access/access-index.ts';
import type { Caller } from '#access/caller.ts';
import { SEES_EVERYTHING } from '#access/visibility.ts';
import {
  WEBHOOK_BODY_CHARACTERS_MAX,
  WEBHOOK_CHANGE_CHARACTERS_MAX,
} from '#base/webhook-limits.ts';
import type { GraphReader, Visibility } from '#graph/reader.ts';
import type {
  EdgeReferenceChange,
  FoundDelivery,
  NodeName,
  NodeReferenceChange,
} from './webhook.ts';

/** No node has it: nothing restricts it but its type. */
const NO_NODE = 0;

/**
 * What of a delivery a user may know at the moment it is sent, as JSON. What there is is told as it
 * is now, not as it was: the log knows values that the user was never to see. Of what is gone, only
 * what everybody might see who may see its type; in doubt nothing.
 */
export class VisibleChanges {
  readonly #reader: GraphReader;
  readonly #visibility: Visibility;
  readonly #isFull: boolean;
  #characters = 0;

  constructor(
    { reader, access }: { readonly reader: GraphReader; readonly access: AccessIndex },
    caller: Caller,
    isFull: boolean,
  ) {
    this.#reader = reader;
    reader.refresh();
    this.#visibility = access.visibilityFor(caller);
    this.#isFull = isFull;
  }

  of({ first, references }: FoundDelivery): string[] {
    const told: string[] = [];
    for (const reference of references) {
      const change = 'edge' in reference ? this.#edge(reference, first) : this.#node(reference);
      if (change === undefined) continue;
      const text = this.#textOf(change.told, change.full);
      this.#characters += text.length;
      told.push(text);
    }
    return told;
  }

  /** What is too large is left out. */
  #textOf(told: object, full: () => object | undefined): string {
    if (this.#isFull && this.#characters < WEBHOOK_BODY_CHARACTERS_MAX) {
      const text = JSON.stringify({ ...told, ...full() });
      if (text.length <= WEBHOOK_CHANGE_CHARACTERS_MAX) return text;
    }
    return JSON.stringify(this.#isFull ? { ...told, isCut: true } : told);
  }

  #node(change: NodeReferenceChange): Told | undefined {
    const { action, uid, type } = change;
    const id = this.#reader.id({ uid });
    if (action === 'deleted') return id === undefined ? this.#deleted(change) : undefined;
    if (id === undefined || !this.#visibility.canSee(id)) return undefined;
    return {
      told: { action, ...this.#name(id, uid, this.#reader.typeOf(id) ?? type) },
      full: () => {
        const node = this.#reader.node(id);
        return node && { node: this.#visibility.present(id, node) };
      },
    };
  }

  #deleted({ action, uid, type, key, wasRestricted }: NodeReferenceChange): Told | undefined {
    const visibility = this.#visibility;
    const seesAll = visibility === SEES_EVERYTHING;
    if (!seesAll && (wasRestricted || !visibility.canSee(NO_NODE, type))) return undefined;
    const readsKey = visibility.canReadFieldOfType(type, 'Id');
    return { told: { action, uid, type, key: readsKey ? key : null }, full: () => ({}) };
  }

  #edge({ action, edge, from, to }: EdgeReferenceChange, first: number): Told | undefined {
    const [fromId, toId] = [this.#idOf(from), this.#idOf(to)];
    if (fromId === undefined || toId === undefined) return undefined;
    if (!this.#visibility.canSeeEdge(edge)) return undefined;
    const present = this.#reader.edgeBetween(fromId, edge, toId);
    // Of what is different by now, a later change tells.
    if ((present !== undefined) !== (action === 'linked')) return undefined;
    if (action === 'unlinked' && !this.#hasAccessStood(first, fromId, toId)) return undefined;
    const told = {
      action,
      edge,
      from: this.#name(fromId, from.uid, from.type),
      to: this.#name(toId, to.uid, to.type),
    };
    return {
      told,
      full: () => {
        if (present === undefined) return {};
        const { type: _type, from: _from, to: _to, timestamp, ...fields } = present;
        return { timestamp, fields };
      },
    };
  }

  /** The id of a node that can be seen. */
  #idOf({ uid }: NodeName): number | undefined {
    const id = this.#reader.id({ uid });
    return id !== undefined && this.#visibility.canSee(id) ? id : undefined;
  }

  /** As a node that can be seen is called: its key may be withheld. */
  #name(id: number, uid: string, type: string): NodeName {
    const key = this.#visibility.canReadField(id, 'Id') ? this.#reader.field(id, 'Id') : undefined;
    return { uid, type, key: typeof key === 'string' ? key : null };
  }

  /**
   * Whether who may see two nodes is as it was before a commit: who sees both ends of an edge that
   * is gone may have seen neither while it was there.
   */
  #hasAccessStood(first: number, from: number, to: number): boolean {
    if (this.#visibility === SEES_EVERYTHING) return true;
    const ends = new Set([from, to]);
    const changes = this.#reader.accessChangesSince(first - 1);
    return (
      changes?.every(
        (change) => change.edge !== '_MemberOf' && !ends.has(change.from) && !ends.has(change.to),
      ) ?? false
    );
  }
}

interface Told {
  readonly told: object;
  /** What is told beside it of payloads that are full. */
  readonly full: () => object | undefined;
}
