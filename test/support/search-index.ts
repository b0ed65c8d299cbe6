import type { HttpClient } from './http-client.ts';
import { valueAt } from './http-client.ts';

/** Waits until the index of a server has everything that was committed there before. */
export function untilIndexed(http: HttpClient, token: string, from = 0): Promise<void> {
  return untilIndex(http, token, { from, isDone: () => true });
}

/** The same, and until no text waits for its vector. */
export function untilEmbedded(http: HttpClient, token: string): Promise<void> {
  const isDone = (index: unknown) => valueAt(index, 'texts', 'waiting') === 0;
  return untilIndex(http, token, { from: 0, isDone });
}

async function untilIndex(
  http: HttpClient,
  token: string,
  { from, isDone }: { readonly from: number; readonly isDone: (index: unknown) => boolean },
): Promise<void> {
  const ask = () => http.send({ path: '/api/search/index', token });
  const { headers } = await ask();
  const committed = Math.max(from, Number(headers.get('x-msk-sequence')));
  for (;;) {
    const { status, json, text } = await ask();
    if (status !== 200) throw new Error(`the state of the index: ${status} ${text}`);
    const isWhole = valueAt(json, 'rebuild') === null;
    if (isWhole && Number(valueAt(json, 'sequence')) >= committed && isDone(json)) return;
  }
}

/**
 * What a search answers, but for how long it took; hits of the same score come in the order of
 * their UIDs.
 */
export async function searchAnswer(
  http: HttpClient,
  token: string,
  request: object,
): Promise<unknown> {
  const path = '/api/cce/system/search';
  const { status, json, text } = await http.send({ path, token, body: request });
  if (status !== 200) throw new Error(`search answered ${status}: ${text}`);
  const hits = valueAt(json, 'hits') as { node: { UID: string }; score: number }[];
  const rounded = hits.map((hit) => ({ ...hit, score: Number(hit.score.toPrecision(9)) }));
  return {
    total: valueAt(json, 'total'),
    facets: valueAt(json, 'facets'),
    scores: rounded.map(({ score }) => score),
    hits: rounded.toSorted((a, b) => b.score - a.score || (a.node.UID < b.node.UID ? -1 : 1)),
  };
}
