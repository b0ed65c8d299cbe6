import { DUPLICATES_DISMISSED_MAX } from '@trellis/contract/limits.ts';
import type {
  Duplicate,
  DuplicateEvidence,
  DuplicateQuery,
} from '@trellis/contract/shapes/duplicate.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import { turns } from '#base/turns.ts';
import type { FieldValue } from '#graph/field-types.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { nameOfNode } from '#graph/node-label.ts';

const TYPES = { open: '_Duplicate', dismissed: '_DuplicateDismissed' } as const;
type DuplicateState = keyof typeof TYPES;

const SEPARATOR = '-';

/** A pair as it is kept: its key has the two UIDs, so that a pair is found in either order. */
interface StoredDuplicate {
  readonly id: string;
  readonly type: string;
  readonly score: number;
  readonly why: readonly DuplicateEvidence[];
}

export function pairId(a: string, b: string): string {
  return [a, b].toSorted().join(SEPARATOR);
}

/**
 * Pairs of nodes that may be one thing, and those of which people have said that they are not. They
 * name nodes and fields, but hold no values, so that nothing stays of a node that is deleted.
 */
export class DuplicateStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  isDismissed(id: string): boolean {
    return this.#reader.id({ type: TYPES.dismissed, key: id }) !== undefined;
  }

  /** The surest first. Pairs of which a node is gone, or that are one by now, are not there. */
  async list({ type, state, skip, take }: DuplicateQuery): Promise<List<Duplicate>> {
    const found: Duplicate[] = [];
    for (const id of this.#reader.idsOfType(TYPES[state])) {
      await turns.goOn(TYPES.open);
      const one = this.#read(id, state);
      if (one !== undefined && (type === undefined || one.type === type)) found.push(one);
    }
    found.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    return { items: found.slice(skip, skip + take), total: found.length, skip, take };
  }

  find(id: string): Duplicate | undefined {
    for (const state of ['open', 'dismissed'] as const) {
      const node = this.#reader.id({ type: TYPES[state], key: id });
      if (node !== undefined) return this.#read(node, state);
    }
    return undefined;
  }

  /** What makes the open pairs of a type those that a search has found. */
  replacing(type: string, found: readonly StoredDuplicate[]): WriterOperation[] {
    const kept = found.filter(({ id }) => !this.isDismissed(id));
    const ids = new Set(kept.map(({ id }) => id));
    const gone = this.#reader.idsOfType(TYPES.open).flatMap((node): WriterOperation[] => {
      const [key, ofType] = this.#reader.fields(node, ['Id', 'OfType'])?.values ?? [];
      if (typeof key !== 'string' || ids.has(key)) return [];
      return ofType === type ? [{ op: 'delete', type: TYPES.open, key }] : [];
    });
    return [...gone, ...kept.map((one) => writing('open', one))];
  }

  dismissing(pair: Duplicate): WriterOperation[] {
    const [oldest] =
      this.#reader.countOfType(TYPES.dismissed) < DUPLICATES_DISMISSED_MAX
        ? []
        : this.#reader.idsOfType(TYPES.dismissed, { take: 1, oldestFirst: true });
    const uid = oldest === undefined ? undefined : this.#reader.uid(oldest);
    return [
      ...(uid === undefined ? [] : [{ op: 'delete', uid } as const]),
      ...this.removing(pair.id),
      writing('dismissed', pair),
    ];
  }

  reopening(pair: Duplicate): WriterOperation[] {
    return [...this.removing(pair.id), writing('open', pair)];
  }

  removing(key: string): WriterOperation[] {
    return Object.values(TYPES).map((type) => ({ op: 'delete', type, key }) as const);
  }

  #read(node: number, state: DuplicateState): Duplicate | undefined {
    const names = ['Id', 'OfType', 'Score', 'Why', 'Timestamp'];
    const [id, type, score, why, foundAt] = this.#reader.fields(node, names)?.values ?? [];
    const [a, b] = String(id)
      .split(SEPARATOR)
      .map((uid) => this.#reader.id({ uid }));
    if (a === undefined || b === undefined || a === b) return undefined;
    const [one, other] = [nameOfNode(this.#reader, a), nameOfNode(this.#reader, b)];
    if (one === undefined || other === undefined) return undefined;
    return {
      id: String(id),
      type: this.#reader.typeNamed(String(type)),
      state,
      score: Number(score),
      // Only `writing` writes it.
      why: why as readonly DuplicateEvidence[],
      nodes: [one, other],
      foundAt: String(foundAt),
    };
  }
}

function writing(
  state: DuplicateState,
  { id, type, score, why }: StoredDuplicate,
): WriterOperation {
  const value = JSON.parse(JSON.stringify(why)) as FieldValue;
  const fields = { OfType: type, Score: score, Why: value };
  return { op: 'addOrUpdate', type: TYPES[state], key: id, fields };
}
