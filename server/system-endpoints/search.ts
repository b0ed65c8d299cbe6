// trellis: readOnly
// trellis: timeoutMs 10000
// trellis: description Search as the caller: words, filters, facets, highlights, page by page.

/** For models and their like. */
const of = (what: string) => z.unknown().optional().describe(what);

/** Its members are checked by the search itself, which says what is wrong with which. */
export const input = z.looseObject({
  query: z
    .string()
    .optional()
    .describe('Words; OR, -word, "phrase", prefix*, field:value and brackets are understood.'),
  types: of('A list of node types; all that can be searched when left out.'),
  filters: of('Values by field, or a list of {field, op, value}.'),
  relatedTo: of('UIDs of nodes: hits are joined to all of them by an edge.'),
  sort: of('"relevance", "recent" or "oldest".'),
  skip: of('Hits to leave out at the beginning.'),
  take: of('Hits at most.'),
});

export default async function search({
  body,
  searchAsUser,
  CurrentUser,
  forbidden,
  status,
}: Scope<typeof input>) {
  if (CurrentUser === null) return forbidden('It shows what a user may see: call it as one.');
  try {
    return await searchAsUser(body as SearchRequest);
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

/** The answer for a search that fails in one of these ways; null for every other error. */
function faultOf(error: unknown) {
  const {
    code = '',
    message = '',
    hint,
    details,
  } = error as Partial<Problem & { details: object }>;
  const status = STATUSES[code];
  if (status === undefined) return null;
  return { status, error: { code, message, ...(hint === undefined ? {} : { hint }), details } };
}
