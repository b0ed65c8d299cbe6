// trellis: readOnly
// trellis: timeoutMs 5000
// trellis: description Words that the last word of a query may become, of what the caller may see; the most frequent first.

export const input = z.strictObject({
  query: z.string(),
  types: z.array(z.string()).max(100).optional(),
  take: z.int().min(1).max(50).default(8),
});

export default async function suggest({
  body,
  suggestAsUser,
  CurrentUser,
  badRequest,
  forbidden,
  status,
}: Scope<typeof input>) {
  if (CurrentUser === null) return forbidden('It shows what a user may see: call it as one.');
  try {
    return await suggestAsUser(body as SuggestRequest);
  } catch (error) {
    const { code, message = '' } = error as Partial<Problem>;
    if (code === 'index_opening') return status(503, { error: { code, message } });
    if (code !== 'invalid_query') throw error;
    const fields = [{ path: 'types', message }];
    return badRequest({ error: { code: 'invalid_request', message, details: { fields } } });
  }
}
