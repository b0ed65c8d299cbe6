// trellis: readOnly
// trellis: timeoutMs 10000
// trellis: description Nodes that the caller may see: of a type, by keys or by UIDs, compared, sorted, page by page.

// These are `TABLE_*` in the limits of the contract, which a test compares.
const CONDITIONS_MAX = 20;
const FIELDS_MAX = 100;
const TAKE_MAX = 1_000;

/** The query refuses what is no comparison. */
const condition = z.strictObject({
  field: z.string(),
  compare: z.string().describe('A comparison of queries, such as "=", "<", "in" or "contains".'),
  value: z.json().optional(),
});

const direction = z.enum(['asc', 'desc']).optional();
const moment = z.iso.datetime({ offset: true }).optional();

const reference = z.union(
  [
    z.string(),
    z.strictObject({ uid: z.string() }),
    z.strictObject({ type: z.string(), key: z.string() }),
  ],
  { error: 'must be a UID, {uid} or {type, key}' },
);

export const input = z
  .strictObject({
    type: z.string().optional(),
    keys: z.array(z.string()).max(TAKE_MAX).optional(),
    uids: z.array(reference).max(TAKE_MAX).optional(),
    /** All of them are to be met. */
    where: z.array(condition).max(CONDITIONS_MAX).default([]),
    /** Of the timestamp; both ends are included. */
    from: moment,
    to: moment,
    sort: z
      .discriminatedUnion('by', [
        z.strictObject({ by: z.literal('field'), field: z.string(), direction }),
        z.strictObject({ by: z.literal('timestamp'), direction }),
        z.strictObject({ by: z.literal('connectivity'), direction }),
      ])
      .optional(),
    /** Those to show; all of them when left out. */
    fields: z.array(z.string()).max(FIELDS_MAX).optional(),
    skip: z.int().min(0).max(1_000_000).default(0),
    take: z.int().min(1).max(TAKE_MAX).default(50),
    /** Whether to count them all, which may mean to read them all. */
    total: z.boolean().default(false),
  })
  .refine(({ type, uids }) => (type === undefined) !== (uids === undefined), {
    error: 'must be given, or else uids',
    path: ['type'],
  })
  .refine(({ type, keys }) => keys === undefined || type !== undefined, {
    error: 'must come with their type',
    path: ['keys'],
  });

/** Names are the caller's: those that the schema does not have the query refuses. */
const asField = (name: string) => name as FieldName<NodeOf>;

export default async function nodes({
  body,
  q,
  CurrentUser,
  badRequest,
  forbidden,
}: Scope<typeof input>) {
  if (CurrentUser === null) return forbidden('It shows what a user may see: call it as one.');
  const { type, keys, uids = [], where, from, to, sort, skip, take } = body;
  // What the steps of the query come of: asUser() and the start are the first two.
  const origins = ['', '', ...where.map((_, i) => `where.${i}.`)];
  let found: Query<NodeOf> =
    type === undefined
      ? q()
          .asUser()
          .startAtUids(uids as NodeReference[])
      : q()
          .asUser()
          .startAt(type as NodeTypeName, keys);
  for (const { field, compare, value } of where) {
    found = found.where(asField(field), compare as Comparison, value as never);
  }
  if (from !== undefined || to !== undefined) {
    found = found.whereTime(from, to);
    origins.push('');
  }
  origins.push('sort.');
  if (sort?.by === 'field') found = found.sortBy(asField(sort.field), sort.direction);
  if (sort?.by === 'timestamp') found = found.sortByTimestamp(sort.direction);
  if (sort?.by === 'connectivity') found = found.sortByConnectivity(sort.direction);
  try {
    const fields = body.fields?.map(asField);
    // One more, to tell whether there are more.
    const page = await found
      .skip(skip)
      .take(take + 1)
      .nodes(fields);
    const total = body.total ? { total: await found.count() } : {};
    return { items: page.slice(0, take), skip, take, hasMore: page.length > take, ...total };
  } catch (error) {
    const fault = faultOf(error, origins);
    if (fault === null) throw error;
    return badRequest(fault);
  }
}

/** The answer for a body that the query refuses; null for every other error. */
function faultOf(error: unknown, origins: readonly string[]) {
  const { code, message = '', details } = error as Partial<Problem & { details: { path: string } }>;
  if (code !== 'invalid_query') return null;
  const at = details?.path ?? '';
  const [, step, member = ''] = /^steps\[(\d+)\]\.(\w+)/.exec(at) ?? [];
  const [, place = ''] = /^end\.fields\[(\d+)\]/.exec(at) ?? [];
  const path = step === undefined ? `fields.${place}` : `${origins[Number(step)]}${member}`;
  return { error: { code: 'invalid_request', message, details: { fields: [{ path, message }] } } };
}
