// trellis: readOnly
// trellis: timeoutMs 10000
// trellis: description Rows of one type that the caller may see: compared, sorted, and page by page from where the last one ended.

// These are `TABLE_*` in the limits of the contract, which a test compares.
const CONDITIONS_MAX = 20;
const FIELDS_MAX = 100;
const TAKE_MAX = 1_000;
const SCAN_MAX = 200_000;
const TOTAL_MAX = 100_000;
const CURSOR_CHARACTERS_MAX = 100_000;
/** More rows than any type has, in steps that a query takes. */
const SKIPS = Array.from({ length: 20 }, () => 1_000_000);
/** How many of the last rows a cursor names, for the case that some are deleted. */
const CURSOR_UIDS = 8;

/** The query refuses what is no comparison. */
const condition = z.strictObject({
  field: z.string(),
  compare: z.string().describe('A comparison of queries, such as "=", "<", "in" or "contains".'),
  value: z.json().optional(),
});

type Condition = z.output<typeof condition>;

export const input = z.strictObject({
  type: z.string(),
  /** Those to show; all of them when left out. */
  fields: z.array(z.string()).max(FIELDS_MAX).optional(),
  /** All of them are to be met. */
  where: z.array(condition).max(CONDITIONS_MAX).default([]),
  /** Newest first when left out; rows without a value come last. */
  sort: z
    .strictObject({ field: z.string(), direction: z.enum(['asc', 'desc']).default('asc') })
    .optional(),
  /** The `next` of the page before. */
  after: z.string().max(CURSOR_CHARACTERS_MAX).optional(),
  take: z.int().min(1).max(TAKE_MAX).default(100),
  /** So many rows are read for one page where no index finds or sorts them. */
  scan: z.int().min(CURSOR_UIDS).max(SCAN_MAX).default(SCAN_MAX),
  /** Whether to count them, up to 100,000. */
  total: z.boolean().default(false),
  /** Whether to tell which index finds them. */
  plan: z.boolean().default(false),
});

type Body = z.output<typeof input>;

/** Where a page ended: the last row, and those before it that only their UIDs tell apart. */
const cursor = z.strictObject({
  query: z.string(),
  /** Of the field that is sorted by; absent where the last row has none. */
  value: z.json().optional(),
  timestamp: z.iso.datetime({ offset: true }),
  uids: z.array(z.string()).max(CURSOR_UIDS),
});
type Cursor = z.output<typeof cursor>;

type Row = NodeBase;

const valueIn = (row: Row, field: string): unknown =>
  (row as Row & Readonly<Record<string, unknown>>)[field];

/** Names are the caller's: those that the schema does not have the query refuses. */
const asField = (name: string) => name as FieldName<NodeOf>;

export default async function table({
  body,
  q,
  CurrentUser,
  badRequest,
  forbidden,
}: Scope<typeof input>) {
  if (CurrentUser === null) return forbidden('It shows what a user may see: call it as one.');
  const { type, where, sort } = body;
  const begin = (conditions: readonly Condition[]) => {
    let found: Query<NodeOf> = q()
      .asUser()
      .startAt(type as NodeTypeName);
    for (const one of conditions) found = met(found, one);
    return found;
  };
  const last = body.after === undefined ? undefined : cursorOf(body.after, body);
  if (last === null) return badRequest(fault('after', 'is not the next of a page of this query'));
  try {
    const way = await wayTo(begin, body);
    if (way.kind === 'none') return badRequest(indexNeeded(way.advice, body));
    const begun: Begun = {
      parts: partsAfter(last, sort, () => begin(way.kind === 'whole' ? where : way.indexed)),
      tested: way.kind === 'whole' ? [] : way.tested,
      scan: way.kind === 'whole' ? undefined : body.scan,
    };
    const { items, next } = await pageOf(begun, body);
    if (next === undefined) return badRequest(fault('sort.field', 'has values without an order'));
    return {
      items: items.map((row) => asAsked(row, body)),
      next,
      ...(body.total ? await countOf(begin, way, body) : {}),
      ...(body.plan
        ? {
            plan: {
              ...planOf(way.told ?? []),
              rowsRead: await rowsRead(begin, way, items, body),
            },
          }
        : {}),
    };
  } catch (error) {
    const refused = faultOf(error, where.length);
    if (refused === null) throw error;
    return badRequest(refused);
  }
}

type Begin = (conditions: readonly Condition[]) => Query<NodeOf>;

const met = (query: Query<NodeOf>, { field, compare, value }: Condition) =>
  query.where(asField(field), compare as Comparison, value as never);

/** How the rows are found: all of what an index leaves, some of it for each page, or not at all. */
type Way =
  | {
      readonly kind: 'whole';
      /** Conditions whose rows are all read; absent where those that are shown are read only. */
      readonly indexed?: readonly Condition[];
      /** What may be told of the plan; absent for the newest rows of a type. */
      readonly told?: readonly Explanation[];
    }
  | {
      readonly kind: 'pieces';
      /** Conditions that an index answers, and those that rows are read for. */
      readonly indexed: readonly Condition[];
      readonly tested: readonly Condition[];
      readonly told: readonly Explanation[];
    }
  | { readonly kind: 'none'; readonly advice: Explanation['advice'] };

/**
 * What is read without an index is bounded: rows that are to be tested are read so many at a time,
 * and more rows are not sorted.
 */
async function wayTo(begin: Begin, body: Body): Promise<Way> {
  const { where, sort, scan } = body;
  if (where.length === 0 && isSortedByTime(body)) return { kind: 'whole' };
  const { answered, isSorted, told } = await planned(begin, body);
  const tested = where.filter((one) => !answered.includes(one) && !isOfTime(one));
  if (isSorted && tested.length === 0) return { kind: 'whole', told };
  const indexed = where.filter((one) => !tested.includes(one));
  const hasMore = (await begin(indexed).skip(scan).take(1).count()) > 0;
  if (!hasMore) return { kind: 'whole', indexed, told };
  const isTurned = sort?.field === 'Timestamp' && sort.direction === 'asc';
  if (!isSorted || (isTurned && answered.length === 0)) {
    return { kind: 'none', advice: told.flatMap(({ advice }) => advice) };
  }
  return { kind: 'pieces', indexed, tested, told };
}

const isSortedByTime = ({ sort }: Body): boolean =>
  sort === undefined || sort.field === 'Timestamp';

const sorted = (query: Query<NodeOf>, sort: Body['sort']) =>
  sort === undefined ? query : query.sortBy(asField(sort.field), sort.direction);

/**
 * Which conditions an index answers, and whether one sorts. What a query chooses depends on how
 * many rows have a value, hidden ones too, and would tell of them. What it does for one condition
 * alone, when all rows are asked for, depends on the indexes only.
 */
async function planned(begin: Begin, body: Body) {
  const { where, sort } = body;
  // The places of faults are those of the whole query.
  await sorted(begin(where), sort).take(0).explain();
  const planAll = (query: Query<NodeOf>) =>
    SKIPS.reduce((all, count) => all.skip(count), query)
      .take(0)
      .explain();
  // The user is no step of these.
  const isIndexed = ({ steps }: Explanation) => steps[1]?.access === 'index';
  const told: Explanation[] = [];
  const answered: Condition[] = [];
  for (const one of where) {
    const plan = await planAll(begin([one]));
    if (isIndexed(plan)) answered.push(one);
    told.push(plan);
  }
  if (isSortedByTime(body)) return { answered, isSorted: true, told };
  const plan = await planAll(sorted(begin([]), sort));
  return { answered, isSorted: isIndexed(plan), told: [...told, plan] };
}

/** The keys of a type tell the times of its nodes. */
const isOfTime = ({ field }: Condition): boolean => field === 'Timestamp';

interface Begun {
  readonly parts: readonly Query<NodeOf>[];
  readonly tested: readonly Condition[];
  /** How many rows of each part are read; undefined for all of them. */
  readonly scan: number | undefined;
}

/** `next` is undefined where the values that are sorted by have no order. */
async function pageOf({ parts, tested, scan }: Begun, body: Body) {
  const { take, sort } = body;
  const rows: Row[] = [];
  let edge: readonly Row[] = [];
  for (const part of parts) {
    let found = scan === undefined ? part : part.take(scan);
    for (const one of tested) found = met(found, one);
    // One more, to tell whether there are more.
    const page = found.take(take + 1 - rows.length);
    rows.push(...(await page.nodes(shownFields(body)?.map(asField))));
    if (rows.length > take) break;
    if (scan === undefined) continue;
    // The last rows that were read: where they are, there may be others after them.
    const sorted = sort === undefined ? [] : [asField(sort.field)];
    edge = await part
      .skip(scan - CURSOR_UIDS)
      .take(CURSOR_UIDS)
      .nodes(sorted);
    if (edge.length === CURSOR_UIDS) break;
  }
  const items = rows.slice(0, take);
  if (rows.length > take) return { items, next: nextAfter(items, body) };
  const next = edge.length === CURSOR_UIDS ? nextAfter(edge, body) : null;
  return { items, next };
}

/** The rows after the last one: those with its value, those beyond it, those without any. */
function partsAfter(
  last: Cursor | undefined,
  sort: Body['sort'],
  begin: () => Query<NodeOf>,
): readonly Query<NodeOf>[] {
  if (sort === undefined || (sort.field === 'Timestamp' && sort.direction === 'desc')) {
    return [last === undefined ? begin() : begin().after(last.timestamp, last.uids)];
  }
  const { direction } = sort;
  const field = asField(sort.field);
  if (last === undefined) return [begin().sortBy(field, direction)];
  const { value, timestamp, uids } = last;
  const isWithout = sort.field !== 'Timestamp' && value === undefined;
  if (isWithout)
    return [
      begin()
        .where(field, 'exists', false as never)
        .after(timestamp, uids),
    ];
  const at = (sort.field === 'Timestamp' ? timestamp : value) as never;
  return [
    begin().where(field, '=', at).after(timestamp, uids),
    begin()
      .where(field, direction === 'asc' ? '>' : '<', at)
      .sortBy(field, direction),
    ...(sort.field === 'Timestamp' ? [] : [begin().where(field, 'exists', false as never)]),
  ];
}

/** The fields to read: those to show, and the one that is sorted by. */
function shownFields({ fields, sort }: Body): readonly string[] | undefined {
  if (fields === undefined || sort === undefined) return fields;
  return [...new Set([...fields, sort.field])];
}

function asAsked(row: Row, { fields, sort }: Body): object {
  const extra = sort?.field ?? 'Id';
  const isShown = fields === undefined || fields.includes(extra) || KEPT.includes(extra);
  if (isShown) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== extra));
}

/** What every row shows. */
const KEPT = ['UID', 'Type', 'Timestamp', 'Id'];

/** Undefined where the values of the field have no order. */
function nextAfter(items: readonly Row[], body: Body): string | undefined {
  const { sort } = body;
  const valueOf = (one: Row) => (sort === undefined ? undefined : valueIn(one, sort.field));
  const row = items.at(-1);
  if (row === undefined) return undefined;
  const value = valueOf(row);
  if (typeof value === 'object') return undefined;
  const alike = items.filter((one) => one.Timestamp === row.Timestamp && valueOf(one) === value);
  const text = JSON.stringify({
    query: nameOf(body),
    ...(value === undefined ? {} : { value }),
    timestamp: row.Timestamp,
    uids: alike
      .slice(-CURSOR_UIDS)
      .toReversed()
      .map(({ UID }) => UID),
  });
  return text.length <= CURSOR_CHARACTERS_MAX ? text : undefined;
}

/** Null for what is no cursor of this query. */
function cursorOf(text: string, body: Body): Cursor | null {
  try {
    const { success, data } = cursor.safeParse(JSON.parse(text));
    return success && data.query === nameOf(body) ? data : null;
  } catch {
    return null;
  }
}

/** Tells one query from another, as far as the order of its rows goes. */
function nameOf({ type, where, sort }: Body): string {
  const text = JSON.stringify([type, where, sort ?? null]);
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return `${text.length}-${(hash >>> 0).toString(36)}`;
}

async function countOf(begin: Begin, way: Way, { where, scan }: Body) {
  if (way.kind === 'pieces') {
    let found = begin(way.indexed).take(scan);
    for (const one of way.tested) found = met(found, one);
    return { total: Math.min(TOTAL_MAX, await found.count()), isTotalExact: false };
  }
  const isNarrowed = where.length > 0;
  const query = begin(where);
  const total = await (isNarrowed ? query.take(TOTAL_MAX + 1) : query).count();
  const isTotalExact = !isNarrowed || total <= TOTAL_MAX;
  return { total: isTotalExact ? total : TOTAL_MAX, isTotalExact };
}

/**
 * How many rows were read of those that the caller may see: what the plan says counts hidden rows
 * too.
 */
async function rowsRead(begin: Begin, way: Way, items: readonly Row[], { scan }: Body) {
  if (way.kind === 'pieces') return scan;
  return way.kind === 'whole' && way.indexed !== undefined
    ? await begin(way.indexed).take(scan).count()
    : items.length;
}

function planOf(explained: readonly Explanation[]) {
  const steps = explained.flatMap((one) => one.steps);
  const index = steps.find((step) => step.index !== undefined)?.index;
  const advice = new Map(explained.flatMap((one) => one.advice).map((one) => [one.field, one]));
  return {
    access: steps.find(({ access }) => access === 'index')?.access ?? 'scan',
    ...(index === undefined ? {} : { index }),
    advice: [...advice.values()],
  };
}

/** Says which index is missing, so that it can be added. */
function indexNeeded(advice: Explanation['advice'], { type, sort, scan }: Body) {
  const field = sort?.field ?? '';
  const [wanted] = advice;
  const message = `More than ${scan} nodes of ${type} would be read and sorted by ${field} for each page`;
  const hint =
    wanted === undefined
      ? 'Filter by a field with an index, or leave out the order.'
      : `Add an index of ${wanted.type}.${wanted.field}, or filter by a field that has one.`;
  const details = { type, ...(wanted === undefined ? {} : { field: wanted.field }) };
  return { error: { code: 'index_needed', message, hint, details } };
}

function fault(path: string, message: string) {
  const fields = [{ path, message }];
  return {
    error: { code: 'invalid_request', message: `${path}: ${message}`, details: { fields } },
  };
}

/** The answer for a body that the query refuses; null for every other error. */
function faultOf(error: unknown, conditions: number) {
  const { code, message = '', details } = error as Partial<Problem & { details: { path: string } }>;
  if (code !== 'invalid_query') return null;
  const at = details?.path ?? '';
  const [, step, member = ''] = /^steps\[(\d+)\]\.(\w+)/.exec(at) ?? [];
  const [, place] = /^end\.fields\[(\d+)\]/.exec(at) ?? [];
  // asUser() and the start are the first two steps.
  const condition = Number(step) - 2;
  const path =
    place !== undefined
      ? `fields.${place}`
      : condition < 0
        ? 'type'
        : condition < conditions
          ? `where.${condition}.${member}`
          : 'sort.field';
  return { error: { code: 'invalid_request', message, details: { fields: [{ path, message }] } } };
}
