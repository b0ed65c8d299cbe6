import { isListTag } from '../field-types.ts';
import type { FieldIndex } from '../indexes/field-index.ts';
import type { IdList } from '../id-list.ts';
import { KEY_TIME_MAX_MS } from '../keys.ts';
import type { NodeType } from '../schema-registry.ts';
import { fieldTest, filter, spanAfter, timeOf } from './filters.ts';
import {
  type Condition,
  type IndexRanges,
  rangesOf,
  rangesOfType,
  spanOfType,
} from './index-ranges.ts';
import { bestConnected } from './best-connected.ts';
import { BY_TIME, byValue, idOfKey, inOrder, inTypeOrder, newestFirst } from './key-ranges.ts';
import type { IndexAdvice, QueryStep } from './plan.ts';
import type { IdPieces, QueryContext } from './query-context.ts';
import {
  ALWAYS,
  isBounded,
  isOfTime,
  isToldByKeys,
  isWithinTime,
  narrowed,
  timeIn,
  type TimeSpan,
} from './time-span.ts';

/**
 * The beginning of a query as one look into an index: a type, what its nodes have to meet, and the
 * order that is asked for. What comes out, and its order, are those of the steps one by one.
 */
export interface StartPlan {
  readonly pieces: IdPieces;
  /** The first step that it leaves to others. */
  readonly next: number;
  readonly type: NodeType;
  readonly access: 'index' | 'scan';
  readonly index: FieldIndex | undefined;
  /** Whether it is every node of the type, in the order of the type. */
  readonly isWholeType: boolean;
  /** Counts the nodes without reading them; undefined where they have to be read. */
  readonly count: (() => number) | undefined;
  /** Steps, by their places, that are answered by reading nodes one by one. */
  readonly tested: ReadonlySet<number>;
}

interface Tested extends Condition {
  readonly place: number;
  readonly test: (id: number) => boolean;
}

interface Beginning {
  readonly type: NodeType;
  readonly conditions: readonly Tested[];
  readonly time: TimeSpan;
  /** The place of the first step that is no condition. */
  readonly next: number;
}

/** So many keys of a range are read to learn how many it has; more are many. */
const FEW = 1_000;
/** Steps of a read of a node, and of a key: what the choices weigh. Measured, in microseconds. */
const NODE_COST = 2;
const KEY_COST = 0.4;

/** Undefined where the query does not begin with all nodes of a type. Checks names on its way. */
export function planStart(
  context: QueryContext,
  steps: readonly QueryStep[],
  path: string,
): StartPlan | undefined {
  const beginning = beginningOf(context, steps, path);
  if (beginning === undefined) return undefined;
  const order = orderAt(context, steps, beginning, path);
  const wanted = takenAfter(steps, order === undefined ? beginning.next : order.next);
  return byConnectivity(context, steps, new Planner(context, beginning, order, wanted).plan());
}

/** Takes in a `sortByConnectivity` of which only the first nodes are wanted. */
function byConnectivity(
  context: QueryContext,
  steps: readonly QueryStep[],
  plan: StartPlan,
): StartPlan {
  const step = steps[plan.next];
  if (step?.op !== 'sortByConnectivity' || !plan.isWholeType) return plan;
  const next = plan.next + 1;
  const direction = step.direction ?? 'desc';
  const pieces = bestConnected(context, plan.type, direction, takenAfter(steps, next));
  if (pieces === undefined) return plan;
  return { ...plan, pieces, next, isWholeType: false, count: undefined };
}

function beginningOf(
  context: QueryContext,
  steps: readonly QueryStep[],
  path: string,
): Beginning | undefined {
  let type: NodeType | undefined;
  const conditions: Tested[] = [];
  let time = ALWAYS;
  let place = 0;
  for (; place < steps.length; place++) {
    const step = steps[place];
    const at = `${path}[${place}]`;
    if (step?.op === 'asUser' || step?.op === 'distinct') continue;
    if (type === undefined) {
      if (step?.op !== 'startAt' && step?.op !== 'startWhere') return undefined;
      if (step.op === 'startAt' && step.keys !== undefined) return undefined;
      type = context.nodeType(step.type, `${at}.type`);
      if (step.op === 'startAt') continue;
      if (isKeyLookUp(step, type)) return undefined;
      conditions.push({
        ...conditionOf(step, type),
        place,
        test: fieldTest(context, step, type, at),
      });
    } else if (step?.op === 'where') {
      const test = fieldTest(context, step, undefined, at);
      conditions.push({ ...conditionOf(step, type), place, test });
    } else if (step?.op === 'whereTime') {
      time = narrowed(time, timeOf(step, at));
    } else if (step?.op === 'after') {
      time = narrowed(time, spanAfter(context, step, at));
    } else {
      break;
    }
  }
  if (type === undefined) return undefined;
  for (const condition of conditions) time = narrowed(time, timeIn(condition));
  return { type, conditions, time, next: place };
}

/** The key answers these itself, in the order of the keys. */
function isKeyLookUp(
  { field, compare }: Extract<QueryStep, { op: 'startWhere' }>,
  type: NodeType,
): boolean {
  return (field === 'Id' || field === type.key) && (compare === '=' || compare === 'in');
}

/** The key is indexed under its own name. */
function conditionOf(
  { field, compare, value }: { field: string; compare: Condition['compare']; value?: unknown },
  type: NodeType,
): Condition {
  return { field: field === 'Id' ? (type.key ?? field) : field, compare, value };
}

interface Order {
  /** Undefined for timestamps. */
  readonly field: string | undefined;
  readonly direction: 'asc' | 'desc';
  readonly next: number;
}

/** The order that the step after the conditions asks for. */
function orderAt(
  context: QueryContext,
  steps: readonly QueryStep[],
  { type, next }: Beginning,
  path: string,
): Order | undefined {
  const step = steps[next];
  if (step?.op === 'sortByTimestamp') {
    return { field: undefined, direction: step.direction ?? 'desc', next: next + 1 };
  }
  if (step?.op !== 'sortBy') return undefined;
  context.fieldTags(step.field, undefined, `${path}[${next}].field`);
  const direction = step.direction ?? 'asc';
  if (step.field === 'Timestamp') return { field: undefined, direction, next: next + 1 };
  const field = step.field === 'Id' ? (type.key ?? step.field) : step.field;
  return { field, direction, next: next + 1 };
}

/** How many nodes the rest takes; Infinity for all. */
function takenAfter(steps: readonly QueryStep[], next: number): number {
  let skipped = 0;
  for (const step of steps.slice(next)) {
    if (step.op === 'skip') skipped += step.count;
    else if (step.op === 'take') return skipped + step.count;
    else if (step.op !== 'asUser' && step.op !== 'distinct') break;
  }
  return Infinity;
}

/** Chooses between the ways to the nodes of one beginning. */
class Planner {
  readonly #context: QueryContext;
  readonly #beginning: Beginning;
  readonly #order: Order | undefined;
  /** How many nodes are wanted. */
  readonly #wanted: number;

  constructor(
    context: QueryContext,
    beginning: Beginning,
    order: Order | undefined,
    wanted: number,
  ) {
    this.#context = context;
    this.#beginning = beginning;
    this.#order = order;
    this.#wanted = wanted;
  }

  plan(): StartPlan {
    if (this.#lacksNone()) {
      const { fromMs } = this.#beginning.time;
      return this.#inTypeOrder(rangesOfType(this.#beginning.type, { fromMs, toMs: -Infinity }));
    }
    const ways = this.#ways();
    const narrowing = ways.filter(({ isNarrowed }) => isNarrowed);
    const narrow = this.#narrowest(narrowing);
    const order = this.#order;
    if (order?.field !== undefined) {
      const fit = ways.filter(({ order: field }) => field?.name === order.field);
      const sorted = fit.find(({ isNarrowed }) => isNarrowed) ?? fit[0];
      if (sorted !== undefined && !this.#isFew(narrow, sorted)) return this.#inOrder(sorted, order);
    }
    if (narrow === undefined) return this.#inTypeOrder(this.#wholeType());
    return this.#inTypeOrder(narrow, this.#second(narrow, narrowing));
  }

  /**
   * Another way whose keys, read once, say of more nodes whether they meet a condition than reading
   * these nodes would cost.
   */
  #second(narrow: IndexRanges, ways: readonly IndexRanges[]): IndexRanges | undefined {
    const others = ways.filter(({ answered }) => !isPartOf(answered, narrow.answered));
    if (this.#wanted !== Infinity || others.length === 0) return undefined;
    if (this.#keysUpTo(narrow, FEW) < FEW) return undefined;
    const second = this.#narrowest(others);
    if (second === undefined) return undefined;
    const isCheaper =
      this.#countKeys(second) * KEY_COST < this.#countKeys(narrow) * (NODE_COST - KEY_COST);
    return isCheaper ? second : undefined;
  }

  #wholeType(): IndexRanges {
    const { type, time } = this.#beginning;
    return rangesOfType(type, time);
  }

  /** What each index has to say. A field that is withheld of some node is not looked up. */
  #ways(): IndexRanges[] {
    const context = this.#context;
    const { type, conditions, time } = this.#beginning;
    if (type.indexes.length === 0) return [];
    const known = conditions.filter(({ field }) => context.readsOfType(type, field));
    const isAsked = (field: string | undefined): boolean =>
      known.some((condition) => condition.field === field) || this.#order?.field === field;
    return type.indexes
      .filter(({ isReady, fields }) => isReady && isAsked(fields[0]?.name))
      .filter(({ fields }) => fields.every((one) => this.#reads(one.name)))
      .flatMap((index) => {
        const { reader } = context;
        const secret = index.isHashed ? reader.indexSecret : NO_SECRET;
        return rangesOf(index, known, time, secret) ?? [];
      });
  }

  #reads(field: string): boolean {
    return this.#context.readsOfType(this.#beginning.type, field);
  }

  /** The way with the fewest keys, where it pays. */
  #narrowest(ways: readonly IndexRanges[]): IndexRanges | undefined {
    const [only] = ways;
    let best = only;
    if (ways.length > 1) {
      const rows = new Map(ways.map((way) => [way, this.#keysUpTo(way, FEW)]));
      best = ways.toSorted(
        (a, b) =>
          (rows.get(a) ?? 0) - (rows.get(b) ?? 0) ||
          b.answered.size - a.answered.size ||
          Number(b.isInTypeOrder) - Number(a.isInTypeOrder),
      )[0];
    }
    return best === undefined || this.#isWorth(best) ? best : undefined;
  }

  /**
   * A range that is not in the order of the type is read as a whole before it has a first node: a
   * scan that ends soon may be cheaper.
   */
  #isWorth(way: IndexRanges): boolean {
    if (way.isInTypeOrder || this.#order?.field !== undefined || this.#wanted === Infinity) {
      return true;
    }
    if (this.#keysUpTo(way, FEW) < FEW) return true;
    const keys = this.#countKeys(way);
    const nodes = this.#context.reader.countOfType(this.#beginning.type.name);
    return keys * KEY_COST < (this.#wanted * nodes * NODE_COST) / Math.max(1, keys);
  }

  /** Whether it is cheaper to read and sort what a way leaves than to go through a sorted index. */
  #isFew(way: IndexRanges | undefined, sorted: IndexRanges): boolean {
    if (way === undefined || way === sorted) return false;
    const keys = this.#keysUpTo(way, FEW);
    return this.#wanted === Infinity
      ? keys < FEW || this.#countKeys(way) < this.#countKeys(sorted)
      : keys < FEW;
  }

  #keysUpTo({ spans }: IndexRanges, most: number): number {
    let count = 0;
    for (const span of spans) {
      if (count >= most) break;
      this.#context.reader.visitKeys(span.db, span, () => ++count < most);
    }
    return count;
  }

  #countKeys({ spans }: IndexRanges): number {
    return spans.reduce((sum, span) => sum + this.#context.reader.countKeys(span.db, span), 0);
  }

  /** Newest first, or as the timestamps are to be sorted. */
  #inTypeOrder(way: IndexRanges, second?: IndexRanges): StartPlan {
    const context = this.#context;
    const order = this.#order;
    const isByTime = order !== undefined && order.field === undefined;
    const byTime = isByTime && !this.#hasLateNodes() ? order : undefined;
    const isTurned = byTime?.direction === 'asc';
    const [span] = way.spans;
    const source =
      !way.isInTypeOrder || span === undefined
        ? inTypeOrder(context, way.spans, byTime?.direction)
        : isTurned
          ? inOrder(context, span, 'asc', BY_TIME)
          : newestFirst(context, span, way.index !== undefined || this.#left(way).length === 0);
    const next = byTime?.next ?? this.#beginning.next;
    if (second === undefined) return this.#finish(way, source, next, true);
    const both = { ...way, answered: new Set([...way.answered, ...second.answered]) };
    return this.#finish(both, filter(context, source, isWithin(context, second)), next, false);
  }

  /** Whether any node is so late that its keys do not tell its time. */
  #hasLateNodes(): boolean {
    const late = spanOfType(this.#beginning.type, { fromMs: KEY_TIME_MAX_MS, toMs: Infinity });
    let isFound = false;
    this.#context.reader.visitKeys(late.db, late, () => {
      isFound = true;
      return false;
    });
    return isFound;
  }

  #inOrder(way: IndexRanges, { direction, next }: Order): StartPlan {
    const context = this.#context;
    const { order, ordered } = way;
    if (order === undefined || ordered === undefined) return this.#inTypeOrder(way);
    const sorted = inOrder(context, ordered, direction, byValue(order.name, order.tag));
    const rest = this.#withoutValue(way);
    const source = rest === undefined ? sorted : chained(sorted, rest);
    return this.#finish(way, source, next, rest === undefined);
  }

  /** The nodes that come last, as they have no value; undefined where there are none. */
  #withoutValue({
    index,
    unordered,
    order,
    isNarrowed,
  }: IndexRanges): (() => IdPieces) | undefined {
    const context = this.#context;
    const { type } = this.#beginning;
    if (unordered !== undefined) return () => inTypeOrder(context, [unordered]);
    const isAsked = this.#beginning.conditions.some(
      ({ field, compare, value }) =>
        field === order?.name && !(compare === '!=' || (compare === 'exists' && value === false)),
    );
    if (isAsked || isNarrowed || index === undefined) return undefined;
    if (this.#isComplete(index)) return undefined;
    const name = order?.name ?? '';
    const span = spanOfType(type, ALWAYS);
    return () =>
      filter(context, newestFirst(context, span), (id) => context.read(id, name) === undefined);
  }

  /** Whether each node of the type has an entry. */
  #isComplete(index: FieldIndex): boolean {
    const { reader } = this.#context;
    const state = reader.indexes().find(({ number }) => number === index.number);
    return state?.entries === reader.countOfType(this.#beginning.type.name);
  }

  /** Whether an index tells that no node lacks a field which the nodes are to lack. */
  #lacksNone(): boolean {
    const { type, conditions } = this.#beginning;
    const absent = conditions.filter(
      ({ field, compare, value }) => compare === 'exists' && value === false && this.#reads(field),
    );
    return type.indexes.some(
      (index) =>
        index.isReady &&
        absent.some(({ field }) => index.fields[0]?.name === field) &&
        !isListTag(index.fields[0]?.tag ?? 0) &&
        this.#isComplete(index),
    );
  }

  /** The conditions that are tested on the nodes. */
  #left({ answered, answersTime }: IndexRanges): Tested[] {
    return this.#beginning.conditions.filter(
      (condition) => !answered.has(condition) && !(answersTime && isOfTime(condition)),
    );
  }

  /** `isWhole`: the keys of the way are all that the source has. */
  #finish(way: IndexRanges, source: IdPieces, next: number, isWhole: boolean): StartPlan {
    const context = this.#context;
    const { type, conditions, time } = this.#beginning;
    const left = this.#left(way);
    let pieces = source;
    const isTimed = isBounded(time) && !(way.answersTime && isToldByKeys(time));
    if (isTimed) {
      pieces = filter(context, pieces, (id) => isWithinTime(context, id, time));
    }
    for (const { test } of left) pieces = filter(context, pieces, test);
    if (way.index === undefined) context.advice.push(...this.#advice(left));
    const isAll = conditions.length === 0 && !isBounded(time);
    const isCounted =
      left.length === 0 && !isTimed && !way.mayRepeat && context.seesAllOf(type) && isWhole;
    return {
      pieces,
      next,
      type,
      access: way.index === undefined ? 'scan' : 'index',
      index: way.index,
      isWholeType: isAll && next === this.#beginning.next,
      count: isCounted ? () => this.#countKeys(way) : undefined,
      tested: new Set(left.map(({ place }) => place)),
    };
  }

  #advice(left: readonly Tested[]): IndexAdvice[] {
    const { type } = this.#beginning;
    const order = this.#order?.field;
    const wanted = new Map<string, string>();
    // Digests have no order.
    const isHashed = this.#context.registry.notWatched.nodeTypes.some(({ indexes }) =>
      indexes.some((index) => index.isHashed),
    );
    const served = isHashed ? SERVED_BY_DIGESTS : SERVED;
    for (const { field, compare } of left) {
      const isServed = served.has(compare) && type.byName.has(field);
      if (isServed) wanted.set(field, `"${field} ${compare}" is tested on every ${type.name}`);
    }
    if (order !== undefined && type.byName.has(order) && !isHashed) {
      wanted.set(order, `every ${type.name} is read to sort by ${order}`);
    }
    const known = new Set(type.indexes.map(({ fields }) => fields[0]?.name));
    return [...wanted]
      .filter(([field]) => !known.has(field))
      .map(([field, why]) => ({ type: type.name, field, why: `${why}; an index answers it.` }));
  }
}

function isPartOf<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): boolean {
  return [...one].every((item) => other.has(item));
}

/** Whether a node is among the keys of a way, which are read with the first question. */
function isWithin(context: QueryContext, { spans }: IndexRanges): (id: number) => boolean {
  let ids: Set<number> | undefined;
  return (id) => {
    if (ids === undefined) {
      const found = new Set<number>();
      for (const span of spans) {
        context.reader.visitKeys(span.db, span, (key) => void found.add(idOfKey(key)));
      }
      context.rowsRead += found.size;
      ids = found;
    }
    return ids.has(id);
  };
}

const SERVED: ReadonlySet<string> = new Set(['=', '<', '<=', '>', '>=', 'in', 'startsWith']);

const SERVED_BY_DIGESTS: ReadonlySet<string> = new Set(['=', 'in']);

const NO_SECRET = new Uint8Array(0);

function* chained(first: IdPieces, second: () => IdPieces): IdPieces & Generator<IdList> {
  yield* first;
  yield* second();
}
