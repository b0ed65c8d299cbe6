// trellis: readOnly
// trellis: timeoutMs 10000
// trellis: description Search as the caller: words, filters, facets, highlights, page by page.

/** The schema is for models and their like. */
const of = (what: string, schema: object) =>
  z
    .unknown()
    .meta({ ...schema, description: what })
    .optional();

const COMPARISONS = [
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  'contains',
  'startsWith',
  'endsWith',
  'exists',
];
const texts = { type: 'array', items: { type: 'string' } };
const comparison = {
  type: 'object',
  properties: {
    field: { type: 'string', description: 'Name of a field; also "Type" and "Timestamp".' },
    op: { type: 'string', enum: COMPARISONS, default: '=' },
    value: { description: 'A value of the type of the field; a list of them with "in".' },
  },
  required: ['field'],
  additionalProperties: false,
};

/** Its members are checked by the search itself, which says what is wrong with which. */
export const input = z.looseObject({
  query: z
    .string()
    .optional()
    .describe('Words; OR, -word, "phrase", prefix*, field:value and brackets are understood.'),
  types: of('A list of node types; all that can be searched when left out.', texts),
  filters: of(
    'All must hold: a list of comparisons, or values by field, which are compared with =.',
    {
      anyOf: [
        { type: 'array', items: comparison },
        { type: 'object', additionalProperties: true },
      ],
    },
  ),
  relatedTo: of('UIDs of nodes: hits are joined to all of them by an edge.', texts),
  sort: of('The order of the hits.', {
    type: 'string',
    enum: ['relevance', 'recent', 'oldest'],
    default: 'relevance',
  }),
  skip: of('Hits to leave out at the beginning.', { type: 'integer', minimum: 0, default: 0 }),
  take: of('Hits at most.', { type: 'integer', minimum: 0, maximum: 1000, default: 10 }),
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
