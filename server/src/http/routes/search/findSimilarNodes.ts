import { findSimilarNodes as operation } from '@trellis/contract/operations/embeddings.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const findSimilarNodes = jsonRoute(
  operation,
  async ({ caller, params, query }, { embeddings }) =>
    answer(200, { items: await embeddings.similar(caller, params.uid, query) }),
);
