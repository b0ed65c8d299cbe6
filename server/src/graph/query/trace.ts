import type { IdList } from '../id-list.ts';
import type { IndexAdvice, QueryStep } from './plan.ts';
import type { IdPieces, QueryContext } from './query-context.ts';
import { cellIndex } from './starts.ts';
import type { StartPlan } from './start-plan.ts';

/** Where the nodes of a step come from. */
export type StepAccess = 'key' | 'index' | 'scan' | 'edges' | 'search' | 'vectors';

/** One step of a query, as it was carried out. */
export interface ExplainedStep {
  readonly step: QueryStep['op'];
  readonly access: StepAccess;
  /** The fields of the index that was used, such as `Year, Title`. */
  readonly index?: string;
  /** Keys, nodes and edges that were read for it. */
  readonly rowsRead: number;
  readonly rowsOut: number;
  readonly ms: number;
}

/** What `explain()` answers (open-shapes, section 9). */
export interface Explanation {
  readonly steps: readonly ExplainedStep[];
  readonly advice: readonly IndexAdvice[];
}

/** What was measured of a step, with all that the steps before it did. */
interface Measured {
  readonly step: QueryStep['op'];
  readonly access: StepAccess;
  readonly index?: string;
  rowsRead: number;
  rowsOut: number;
  ms: number;
}

/** Measures the steps of a query while they run. A nested set counts as part of its step. */
export class QueryTrace {
  readonly #steps: Measured[] = [];

  /** The pieces of a step, measured. */
  #step(
    step: QueryStep['op'],
    access: StepAccess,
    pieces: IdPieces,
    context: QueryContext,
    index?: string,
  ): IdPieces {
    const measured = {
      step,
      access,
      ...(index === undefined ? {} : { index }),
      rowsRead: 0,
      rowsOut: 0,
      ms: 0,
    };
    this.#steps.push(measured);
    return measure(pieces, measured, context);
  }

  /** A step that is carried out by itself. */
  take(step: QueryStep, pieces: IdPieces, context: QueryContext): IdPieces {
    if (step.op !== 'startNear') return this.#step(step.op, accessOf(step), pieces, context);
    const type = context.registry.nodeType(step.type);
    const index = type && cellIndex(context, type, step.field);
    if (index !== undefined) return this.#step(step.op, 'index', pieces, context, step.field);
    return this.#step(step.op, 'scan', pieces, context);
  }

  plan(steps: readonly QueryStep[], plan: StartPlan, context: QueryContext): IdPieces {
    const { index, access, tested, next } = plan;
    const names = index?.fields.map(({ name }) => name).join(', ');
    let { pieces } = plan;
    for (const [place, { op }] of steps.slice(0, next).entries()) {
      if (op === 'asUser') continue;
      const isTested = tested.has(place) && place > 0;
      const how = isTested ? 'scan' : access;
      pieces = this.#step(op, how, pieces, context, isTested ? undefined : names);
    }
    return pieces;
  }

  /** Each step without those before it. */
  explanation(context: QueryContext): Explanation {
    const steps = this.#steps.map(({ rowsRead, ms, ...rest }, i): ExplainedStep => {
      const before = this.#steps[i - 1];
      return {
        ...rest,
        rowsRead: Math.max(0, rowsRead - (before?.rowsRead ?? 0)),
        ms: Math.max(0, Number((ms - (before?.ms ?? 0)).toFixed(3))),
      };
    });
    return { steps, advice: context.advice };
  }
}

function* measure(
  pieces: IdPieces,
  measured: Measured,
  context: QueryContext,
): IdPieces & Generator<IdList> {
  let iterator: Iterator<IdList> | undefined;
  for (;;) {
    const begin = performance.now();
    const readBefore = context.rowsRead;
    // To begin may be all there is to do.
    iterator ??= pieces[Symbol.iterator]();
    const next = iterator.next();
    measured.ms += performance.now() - begin;
    measured.rowsRead += context.rowsRead - readBefore;
    if (next.done === true) return;
    measured.rowsOut += next.value.length;
    yield next.value;
  }
}

/** Where the nodes of a step that is carried out by itself come from. */
export function accessOf({ op }: QueryStep): StepAccess {
  switch (op) {
    case 'startAt':
    case 'startAtUids':
    case 'startWhere':
      return 'key';
    case 'startSearch':
      return 'search';
    case 'startAtVectors':
    case 'startAtSimilar':
    case 'similar':
      return 'vectors';
    case 'out':
    case 'in':
    case 'outMany':
    case 'isRelatedTo':
      return 'edges';
    default:
      return 'scan';
  }
}
