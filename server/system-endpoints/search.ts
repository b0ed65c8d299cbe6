// trellis: readOnly
// trellis: timeoutMs 10000
// trellis: description Search as the caller: words, filters, facets, highlights, page by page.

/** Its members are checked by the search itself, which says what is wrong with which. */
export const input = z.looseObject({ query: z.string().optional() });

export default async function search({
  body,
  searchAsUser,
  CurrentUser,
  badRequest,
  forbidden,
}: Scope<typeof input>) {
  if (CurrentUser === null) return forbidden('It shows what a user may see: call it as one.');
  try {
    return await searchAsUser(body as SearchRequest);
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null) throw error;
    return badRequest(fault);
  }
}

/** The answer for a body that the search refuses; null for every other error. */
function faultOf(error: unknown) {
  const { code, message = '', hint, details } = error as Partial<Problem & { details: object }>;
  if (code !== 'invalid_request' && code !== 'invalid_query') return null;
  return { error: { code, message, ...(hint === undefined ? {} : { hint }), details } };
}
