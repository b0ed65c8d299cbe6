// trellis: readOnly
// trellis: timeoutMs 5000
// trellis: description The modes of system/search that can find anything now: by words, and by meaning where a field has vectors.

export const input = z.strictObject({});

export default async function searchModes({
  searchAsUser,
  CurrentUser,
  forbidden,
  status,
}: Scope<typeof input>) {
  if (CurrentUser === null) return forbidden('It shows what a user may see: call it as one.');
  try {
    // No vectors here have one dimension: whatever is refused besides the mode means that there are
    // some, and no provider of embeddings is asked.
    await searchAsUser({ mode: 'vector', vector: [1], take: 0 });
  } catch (error) {
    const { code, message = '', details } = error as Partial<Problem & { details: Details }>;
    if (code === 'index_opening') return status(503, { error: { code, message } });
    if (code !== 'invalid_request') throw error;
    const isWithoutVectors = details?.fields?.some(({ path }) => path === 'request.mode') === true;
    if (isWithoutVectors) return { modes: ['text'] };
  }
  return { modes: ['text', 'vector', 'hybrid'] };
}

interface Details {
  readonly fields?: readonly { readonly path: string }[];
}
