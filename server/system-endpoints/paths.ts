// trellis: readOnly
// trellis: timeoutMs 10000
// trellis: description The shortest paths between two nodes, over nodes and edges that the caller may see.

const reference = z.union(
  [
    z.string(),
    z.strictObject({ uid: z.string() }),
    z.strictObject({ type: z.string(), key: z.string() }),
  ],
  { error: 'must be a UID, {uid} or {type, key}' },
);

export const input = z.strictObject({
  from: reference,
  to: reference,
  /** The types of the edges to follow; all of them when left out. */
  edges: z.array(z.string()).min(1).max(100).optional(),
  direction: z.enum(['out', 'in', 'both']).default('both'),
  maxHops: z.int().min(1).max(20).default(6),
  take: z.int().min(1).max(50).default(10),
});

export default async function paths({
  body,
  q,
  CurrentUser,
  badRequest,
  forbidden,
  notFound,
}: Scope<typeof input>) {
  if (CurrentUser === null) return forbidden('It shows what a user may see: call it as one.');
  const { direction, maxHops, take } = body;
  const view = q().asUser();
  const find = async (asked: typeof body.from, path: string) => {
    const named =
      typeof asked === 'object' && 'type' in asked
        ? view.startAt(asked.type as NodeTypeName, asked.key)
        : view.startAtUids(asked);
    const [uid] = await named.uids().catch((error: unknown) => refuse(error, `${path}.type`));
    return uid;
  };
  const refuse = (error: unknown, path: string): never => {
    const { code, message = '' } = error as Partial<Problem>;
    if (code !== 'invalid_query') throw error;
    throw badRequest({
      error: { code: 'invalid_request', message, details: { fields: [{ path, message }] } },
    });
  };
  const from = await find(body.from, 'from');
  if (from === undefined) return notFound('There is no such node to begin at.');
  const to = await find(body.to, 'to');
  if (to === undefined) return notFound('There is no such node to end at.');
  const edges = body.edges as EdgeTypeName[] | undefined;
  const found = await view
    .startAtUids(from)
    .shortestPaths(to, { ...(edges && { edges }), direction, maxHops, take })
    .catch((error: unknown) => refuse(error, 'edges'));
  return { hops: found[0]?.edges.length ?? null, paths: found };
}
