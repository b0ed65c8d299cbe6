// trellis: readOnly
// trellis: timeoutMs 15000
// trellis: description Nodes that are similar to a node, or to a text, of what the caller may see; the best first.

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
    uid: reference.optional(),
    text: z.string().optional(),
    /** Of the nodes that are found; all of them when left out. */
    types: z.array(z.string()).max(100).optional(),
    take: z.int().min(1).max(1_000).default(10),
    /** A cosine. */
    similarityMin: z.number().min(-1).max(1).optional(),
  })
  .refine(({ uid, text }) => (uid === undefined) !== (text === undefined), {
    error: 'needs either uid or text',
  });

export default async function similar({
  body,
  q,
  CurrentUser,
  forbidden,
  notFound,
  status,
}: Scope<typeof input>) {
  if (CurrentUser === null) return forbidden('It shows what a user may see: call it as one.');
  const { uid, text = '', take, similarityMin } = body;
  const types = body.types as NodeTypeName[] | undefined;
  const options = similarityMin === undefined ? {} : { similarityMin };
  const view = q().asUser();
  try {
    if (uid !== undefined && (await view.startAtUids(uid as NodeReference).count()) === 0) {
      return notFound('There is no such node.');
    }
    const found =
      uid === undefined
        ? view.startAtSimilarText(text, take, types, options)
        : view.startAtSimilar(uid as NodeReference, take, types, options);
    return { items: await found.scored() };
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null) throw error;
    return status(fault.status, { error: fault.error });
  }
}

/** What the caller can do something about, or an administrator. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request: 400,
  invalid_query: 400,
  embeddings_not_configured: 409,
  embeddings_unavailable: 503,
  index_opening: 503,
};

/** The answer when the query, or the provider of embeddings, is refused; null for other errors. */
function faultOf(error: unknown) {
  const { code = '', message = '', ...more } = error as Partial<Problem & { details: object }>;
  const answered = STATUSES[code];
  if (answered === undefined) return null;
  const hint = more.hint === undefined ? {} : { hint: more.hint };
  // Of the names in a query only the types are the caller's.
  if (code === 'invalid_query') {
    const details = { fields: [{ path: 'types', message }] };
    return { status: answered, error: { code: 'invalid_request', message, ...hint, details } };
  }
  return { status: answered, error: { code, message, ...hint, details: more.details } };
}
