import { getSynonyms as operation } from '@trellis/contract/operations/search.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getSynonyms = jsonRoute(
  operation,
  async ({ caller, query }, { searchConfiguration }) => {
    const { token, lang: language, tolerance } = query;
    return answer(
      200,
      await searchConfiguration.synonyms.get(caller, { token, language }, tolerance),
    );
  },
);
