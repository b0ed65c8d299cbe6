import { getEmbeddings as operation } from '@trellis/contract/operations/embeddings.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getEmbeddings = jsonRoute(
  operation,
  async ({ caller, body: { UIDs: uids, field } }, { embeddings }) =>
    answer(200, await embeddings.of(caller, { uids, field })),
);
