import { ask } from './channel.ts';
import { isArray, stringify } from './primordials.ts';
import { nameOf } from './graph.ts';
import { embedQuery, similarity, type SimilarityOptions } from './search.ts';

/**
 * A step as the host runs it (see `#graph/query/plan.ts`), or one with a function or a query in it,
 * which only the guest knows, or with a text that the host wants as vectors.
 */
interface Step {
  readonly op: string;
  readonly [member: string]: unknown;
}

type Predicate = (node: unknown) => boolean;

interface NodeLike {
  readonly UID: string;
}

/** How many nodes a predicate, or an iteration, is given at a time. */
const CHUNK_NODES = 1_000;
const PATHS_DEFAULT = 10;

/** `q()`: see `query.ts` of `@trellis/endpoint`. Immutable: each step makes another query. */
export class Query {
  readonly #call: number;
  readonly #steps: readonly Step[];

  constructor(call: number, steps: readonly Step[] = []) {
    this.#call = call;
    this.#steps = steps;
  }

  startAt(type: string, keys?: unknown): Query {
    return this.#with({ op: 'startAt', type, keys: keys === undefined ? keys : listOf(keys) });
  }

  startAtUids(uids: unknown): Query {
    return this.#with({ op: 'startAtUids', uids: namesOf(uids) });
  }

  startWhere(type: string, field: string, compare: string, value?: unknown): Query {
    return this.#with({ op: 'startWhere', type, field, compare, value });
  }

  startNear(type: string, field: string, point: unknown, km: number): Query {
    return this.#with({ op: 'startNear', type, field, point, km });
  }

  startSearch(type: string, field: string, text: string): Query {
    return this.#with({ op: 'startSearch', type, field, text });
  }

  startAtSimilarText(
    text: string,
    count?: number,
    types?: unknown,
    options?: SimilarityOptions,
  ): Query {
    return this.#with({ op: 'startAtSimilarText', text, ...similarity(count, types, options) });
  }

  startAtSimilar(
    nodes: unknown,
    count?: number,
    types?: unknown,
    options?: SimilarityOptions,
  ): Query {
    return this.#with({
      op: 'startAtSimilar',
      uids: namesOf(nodes),
      ...similarity(count, types, options),
    });
  }

  out(type?: string, edge?: string): Query {
    return this.#with({ op: 'out', type, edge });
  }

  in(type?: string, edge?: string): Query {
    return this.#with({ op: 'in', type, edge });
  }

  outMany(hops: number, types?: unknown, edges?: unknown): Query {
    return this.#with({ op: 'outMany', hops, types, edges });
  }

  where(field: string | Predicate, compare?: string, value?: unknown): Query {
    return typeof field === 'function'
      ? this.#with({ op: 'filter', predicate: field })
      : this.#with({ op: 'where', field, compare, value });
  }

  whereTime(from?: unknown, to?: unknown): Query {
    return this.#with({ op: 'whereTime', from: from ?? undefined, to: to ?? undefined });
  }

  after(timestamp: unknown, uids: unknown): Query {
    return this.#with({ op: 'after', timestamp, uids: namesOf(uids) });
  }

  isRelatedTo(node: unknown, edge?: string): Query {
    return this.#with({ op: 'isRelatedTo', uid: nameOf(node), edge });
  }

  union(other: Query): Query {
    return this.#with({ op: 'union', other });
  }

  except(other: Query): Query {
    return this.#with({ op: 'except', other });
  }

  intersect(other: Query): Query {
    return this.#with({ op: 'intersect', other });
  }

  similar(count?: number, types?: unknown, options?: SimilarityOptions): Query {
    return this.#with({ op: 'similar', ...similarity(count, types, options) });
  }

  distinct(): Query {
    return this.#with({ op: 'distinct' });
  }

  sortBy(field: string, direction?: string): Query {
    return this.#with({ op: 'sortBy', field, direction });
  }

  sortByTimestamp(direction?: string): Query {
    return this.#with({ op: 'sortByTimestamp', direction });
  }

  sortByConnectivity(direction?: string): Query {
    return this.#with({ op: 'sortByConnectivity', direction });
  }

  skip(count: number): Query {
    return this.#with({ op: 'skip', count });
  }

  take(count: number): Query {
    return this.#with({ op: 'take', count });
  }

  asUser(): Query {
    return this.#with({ op: 'asUser' });
  }

  nodes(fields?: unknown): Promise<unknown> {
    return this.#end({ end: 'nodes', fields });
  }

  uids(): Promise<unknown> {
    return this.#end({ end: 'uids' });
  }

  count(): Promise<unknown> {
    return this.#end({ end: 'count' });
  }

  scored(): Promise<unknown> {
    return this.#end({ end: 'scored' });
  }

  edges(edge?: string, options?: object): Promise<unknown> {
    return this.#end({ ...options, end: 'edges', edge });
  }

  summary(): Promise<unknown> {
    return this.#end({ end: 'summary' });
  }

  neighborsSummary(direction?: string): Promise<unknown> {
    return this.#end({ end: 'neighborsSummary', direction });
  }

  groupBy(field: string): Promise<unknown> {
    return this.#end({ end: 'groupBy', field });
  }

  shortestPath(to: unknown, options?: object): Promise<unknown> {
    return this.#end({ ...options, end: 'shortestPath', to: nameOf(to) });
  }

  shortestPaths(to: unknown, options?: object): Promise<unknown> {
    return this.#end({ take: PATHS_DEFAULT, ...options, end: 'shortestPaths', to: nameOf(to) });
  }

  explain(): Promise<unknown> {
    return this.#end({ end: 'explain' });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator {
    const steps = await hostSteps(this.#call, this.#steps);
    for await (const nodes of chunks(this.#call, steps)) yield* nodes;
  }

  /** Those of a query that is an operand of another. */
  static steps(query: Query): readonly Step[] {
    return query.#steps;
  }

  #with(step: Step): Query {
    const { length } = this.#steps;
    const steps: Step[] = [];
    for (let i = 0; i < length; i++) steps[i] = this.#steps[i] as Step;
    steps[length] = step;
    return new Query(this.#call, steps);
  }

  #end(end: object): Promise<unknown> {
    return this.#steps.some(isOfGuest)
      ? hostSteps(this.#call, this.#steps).then((steps) => runQuery(this.#call, steps, end))
      : runQuery(this.#call, this.#steps, end);
  }
}

function runQuery(call: number, steps: readonly Step[], end: object): Promise<unknown> {
  return ask(call, 'query', stringify({ steps, end }));
}

function isOfGuest({ op }: Step): boolean {
  return (
    op === 'filter' ||
    op === 'union' ||
    op === 'except' ||
    op === 'intersect' ||
    op === 'startAtSimilarText'
  );
}

/**
 * The same query without the steps that only the guest knows: a predicate is tried on the nodes
 * here, and the kept ones go on; a text becomes its vectors.
 */
async function hostSteps(call: number, steps: readonly Step[]): Promise<readonly Step[]> {
  // Limits the whole query wherever it stands, so also the parts into which a predicate cuts it.
  const asUser = steps.filter(({ op }) => op === 'asUser');
  let done: Step[] = [];
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step;
    if ('predicate' in step) {
      const source = [...asUser, ...done];
      const uids = await filter(call, source, step.predicate as Predicate, limitAfter(steps, i));
      done = [...asUser, { op: 'startAtUids', uids }];
    } else if ('other' in step) {
      const others = await hostSteps(call, Query.steps(step.other as Query));
      done[done.length] = { op: step.op, steps: others };
    } else if (step.op === 'startAtSimilarText') {
      const { text, ...rest } = step;
      // Nothing asked for is nothing found.
      if (typeof text === 'string' && text.trim() === '') {
        done[done.length] = { op: 'startAtUids', uids: [] };
        continue;
      }
      const vectors = await embedQuery(call, { ...rest, query: text, mode: 'vector' });
      done[done.length] = { ...rest, op: 'startAtVectors', vectors };
    } else {
      done[done.length] = step;
    }
  }
  return done;
}

/** How many kept nodes are enough for the steps after a predicate. */
function limitAfter(steps: readonly Step[], i: number): number {
  const next = steps[i + 1];
  if (next === undefined || !('count' in next)) return Infinity;
  return next.op === 'take' ? Number(next.count) : Number(next.count) + limitAfter(steps, i + 1);
}

async function filter(
  call: number,
  steps: readonly Step[],
  predicate: Predicate,
  limit: number,
): Promise<readonly string[]> {
  const kept: string[] = [];
  for await (const nodes of chunks(call, steps)) {
    for (let i = 0; i < nodes.length && kept.length < limit; i++) {
      const node = nodes[i] as NodeLike;
      if (predicate(node)) kept[kept.length] = node.UID;
    }
    if (kept.length >= limit) break;
  }
  return kept;
}

/** The nodes of a set, some at a time, so that a large one need not fit into memory. */
async function* chunks(
  call: number,
  steps: readonly Step[],
): AsyncGenerator<readonly NodeLike[], void, undefined> {
  const uids = (await runQuery(call, steps, { end: 'uids' })) as readonly string[];
  const asUser = steps.filter(({ op }) => op === 'asUser');
  for (let i = 0; i < uids.length; i += CHUNK_NODES) {
    const chunk = { op: 'startAtUids', uids: uids.slice(i, i + CHUNK_NODES) };
    yield (await runQuery(call, [...asUser, chunk], { end: 'nodes' })) as readonly NodeLike[];
  }
}

function namesOf(nodes: unknown): readonly unknown[] {
  return listOf(nodes).map((node) => nameOf(node));
}

function listOf(one: unknown): readonly unknown[] {
  return isArray(one) ? one : [one];
}
