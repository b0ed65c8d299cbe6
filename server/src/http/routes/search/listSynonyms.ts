import { listSynonyms as operation } from '@trellis/contract/operations/search.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listSynonyms = jsonRoute(
  operation,
  async ({ caller, query, headers }, { searchConfiguration }) => {
    const { lang: language, query: part, includeSynonyms } = query;
    const { 'x-msk-skip': skip, 'x-msk-limit': take } = headers;
    const isPairs = includeSynonyms === '1';
    return answer(
      200,
      await searchConfiguration.synonyms.list(caller, { language, part, isPairs, skip, take }),
    );
  },
);
