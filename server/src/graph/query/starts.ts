import { isListTag, scalarOf, TAG } from '../field-types.ts';
import type { GeoPoint } from '../field-types.ts';
import { IdList } from '../id-list.ts';
import type { FieldIndex } from '../indexes/field-index.ts';
import type { NodeType } from '../schema-registry.ts';
import { cellsNear } from './geo-cells.ts';
import { fieldTest, filter } from './filters.ts';
import { spanOfType } from './index-ranges.ts';
import { inTypeOrder, newestFirst } from './key-ranges.ts';
import type { QueryStep } from './plan.ts';
import { invalidQuery } from './query-context.ts';
import type { IdPieces, QueryContext } from './query-context.ts';
import { ALWAYS } from './time-span.ts';

type Step<Op extends QueryStep['op']> = Extract<QueryStep, { op: Op }>;

/** The nodes of a type with the given keys, in their order, leaving out what is not there. */
export function startAt(context: QueryContext, step: Step<'startAt'>, path: string): IdPieces {
  const type = context.nodeType(step.type, `${path}.type`);
  return nodesByKey(context, type, step.keys ?? []);
}

export function startAtUids(context: QueryContext, step: Step<'startAtUids'>): IdPieces {
  const ids = new Set<number>();
  for (const uid of step.uids) {
    const id = context.idOfUid(uid);
    if (id !== undefined) ids.add(id);
  }
  return [IdList.of([...ids])];
}

/** Nodes by their key: every other field is planned for (see `start-plan.ts`). */
export function startWhere(
  context: QueryContext,
  step: Step<'startWhere'>,
  path: string,
): IdPieces {
  const type = context.nodeType(step.type, `${path}.type`);
  const test = fieldTest(context, step, type, path);
  const keys: readonly unknown[] = Array.isArray(step.value) ? step.value : [step.value];
  const found = nodesByKey(
    context,
    type,
    keys.filter((key) => typeof key === 'string'),
  );
  return filter(context, found, test);
}

/** The nodes within a distance of a point, nearest first. */
export function startNear(context: QueryContext, step: Step<'startNear'>, path: string): IdPieces {
  const type = context.nodeType(step.type, `${path}.type`);
  const [tag = TAG.String] = context.fieldTags(step.field, type, `${path}.field`);
  if (scalarOf(tag) !== TAG.GeoPoint) {
    if (context.conceals(type.name)) return [];
    throw invalidQuery(`"${step.field}" is not a GeoPoint`, { path: `${path}.field` });
  }
  return nodesNear(context, type, step, isListTag(tag));
}

export function startSearch(
  context: QueryContext,
  step: Step<'startSearch'>,
  path: string,
): IdPieces {
  const type = context.nodeType(step.type, `${path}.type`);
  context.fieldTags(step.field, type, `${path}.field`);
  return nodesWithText(context, step);
}

function* nodesWithText(
  context: QueryContext,
  wanted: Step<'startSearch'>,
): IdPieces & Generator<IdList> {
  yield context.findByText(wanted);
}

function* nodesNear(
  context: QueryContext,
  type: NodeType,
  step: Step<'startNear'>,
  isList: boolean,
): IdPieces & Generator<IdList> {
  const { field, point, km } = step;
  const found: { id: number; km: number }[] = [];
  for (const piece of candidatesNear(context, type, step)) {
    context.checkpoint();
    context.rowsRead += piece.length;
    for (let i = 0; i < piece.length; i++) {
      const id = piece.at(i);
      const value = context.read(id, field);
      if (value === undefined) continue;
      // The field is a GeoPoint, or a list of them.
      const points = (isList ? value : [value]) as readonly GeoPoint[];
      let nearest = Infinity;
      for (const other of points) nearest = Math.min(nearest, haversineKm(point, other));
      if (nearest <= km) found.push({ id, km: nearest });
    }
  }
  found.sort((a, b) => a.km - b.km);
  yield IdList.of(found.map(({ id }) => id));
}

const EARTH_RADIUS_KM = 6_371.008_8;
const KM_PER_DEGREE_MIN = (EARTH_RADIUS_KM * Math.PI) / 180;

/** Along the surface of a sphere, which is at most 0.5 % off the Earth's. */
function haversineKm(a: GeoPoint, b: GeoPoint): number {
  const radians = Math.PI / 180;
  const dLat = (b.lat - a.lat) * radians;
  const dLon = (b.lon - a.lon) * radians;
  const h =
    Math.sin(dLat / 2) ** 2 +
    Math.cos(a.lat * radians) * Math.cos(b.lat * radians) * Math.sin(dLon / 2) ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** The nodes that may be within the distance: by the cells of an index, or all of the type. */
function candidatesNear(
  context: QueryContext,
  type: NodeType,
  { field, point, km }: Step<'startNear'>,
): IdPieces {
  const index = cellIndex(context, type, field);
  if (index === undefined) {
    const why = `every ${type.name} is compared with the point; an index answers it.`;
    context.advice.push({ type: type.name, field, why });
    return newestFirst(context, spanOfType(type, ALWAYS), false);
  }
  return inTypeOrder(context, cellsNear(index.number, point, km / KM_PER_DEGREE_MIN));
}

/** The index that `startNear` goes by. */
export function cellIndex(
  context: QueryContext,
  type: NodeType,
  field: string,
): FieldIndex | undefined {
  if (!context.readsOfType(type, field)) return undefined;
  return type.indexes.find(
    ({ isReady, isHashed, fields }) => isReady && !isHashed && fields[0]?.name === field,
  );
}

function nodesByKey(context: QueryContext, type: NodeType, keys: readonly string[]): IdPieces {
  const ids = new Set<number>();
  for (const key of keys) {
    const id = context.reader.id({ type: type.name, key });
    if (id !== undefined && context.sees(id)) ids.add(id);
  }
  return [IdList.of([...ids])];
}
