// trellis: readOnly
// trellis: timeoutMs 10000
// trellis: description The neighbours of a node that the caller may see: how many by edge type, and page by page.

const reference = z.union(
  [
    z.string(),
    z.strictObject({ uid: z.string() }),
    z.strictObject({ type: z.string(), key: z.string() }),
  ],
  { error: 'must be a UID, {uid} or {type, key}' },
);

export const input = z.strictObject({
  node: reference,
  /** The types of the edges to follow; all of them when left out. */
  edges: z.array(z.string()).min(1).max(100).optional(),
  /** An edge whose type has an inverse is there in both directions. */
  direction: z.enum(['out', 'in', 'both']).default('both'),
  skip: z.int().min(0).max(1_000_000).default(0),
  take: z.int().min(1).max(1_000).default(50),
});

/** The edges of one type in one direction. */
interface Group {
  readonly direction: 'out' | 'in';
  readonly edge: EdgeTypeName;
  readonly count: number;
}

export default async function neighbors({
  body,
  q,
  CurrentUser,
  badRequest,
  forbidden,
  notFound,
}: Scope<typeof input>) {
  if (CurrentUser === null) return forbidden('It shows what a user may see: call it as one.');
  const { node: asked, edges, direction, skip, take } = body;
  const view = q().asUser();
  try {
    const named =
      typeof asked === 'object' && 'type' in asked
        ? view.startAt(asked.type as NodeTypeName, asked.key)
        : view.startAtUids(asked);
    const [node]: readonly NodeBase[] = await named.nodes();
    if (node === undefined) return notFound('There is no such node.');
    const self = view.startAtUids(node.UID);
    const counts = await groupsOf(self, direction === 'both' ? ['out', 'in'] : [direction]);
    // It follows nothing, but refuses a name that the schema does not have.
    await view
      .startAtUids([])
      .outMany(1, undefined, edges as EdgeTypeName[] | undefined)
      .count();
    const followed = counts.filter(({ edge }) => edges === undefined || edges.includes(edge));
    const total = followed.reduce((sum, { count }) => sum + count, 0);
    const page = await pageOf(self, followed, { skip, take });
    const nodes: readonly NodeBase[] = await view
      .startAtUids(page.map(({ other }) => other))
      .nodes();
    const byUid = new Map(nodes.map((neighbor) => [neighbor.UID, neighbor]));
    const items = page.flatMap(({ other, ...item }) => {
      const neighbor = byUid.get(other);
      // It may be gone by now.
      return neighbor === undefined ? [] : { ...item, node: neighbor };
    });
    return { node, counts, items, total, skip, take };
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null) throw error;
    return badRequest(fault);
  }
}

async function groupsOf(
  self: Query<NodeOf>,
  directions: readonly Group['direction'][],
): Promise<Group[]> {
  const groups: Group[] = [];
  for (const direction of directions) {
    const counts: Record<string, number | undefined> = await self.neighborsSummary(direction);
    for (const edge of Object.keys(counts).toSorted()) {
      groups.push({ direction, edge: edge as EdgeTypeName, count: counts[edge] ?? 0 });
    }
  }
  return groups;
}

/** Only the groups that the page lies in are read. */
async function pageOf(
  self: Query<NodeOf>,
  groups: readonly Group[],
  { skip, take }: { readonly skip: number; readonly take: number },
) {
  const page: { direction: Group['direction']; edge: Edge; other: UID }[] = [];
  let left = skip;
  for (const { direction, edge: type, count } of groups) {
    const room = take - page.length;
    if (room === 0) break;
    if (left < count) {
      for (const edge of await self.edges(type, { direction, skip: left, take: room })) {
        page.push({ direction, edge, other: direction === 'out' ? edge.to : edge.from });
      }
    }
    left = Math.max(0, left - count);
  }
  return page;
}

/** The answer for a body that the query refuses; null for every other error. */
function faultOf(error: unknown) {
  const { code, message = '', details } = error as Partial<Problem & { details: { path: string } }>;
  if (code !== 'invalid_query') return null;
  const [, place] = /\.edges\[(\d+)\]/.exec(details?.path ?? '') ?? [];
  const path = place === undefined ? 'node.type' : `edges.${place}`;
  return { error: { code: 'invalid_request', message, details: { fields: [{ path, message }] } } };
}
