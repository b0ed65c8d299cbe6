import { putSynonyms as operation } from '@trellis/contract/operations/search.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putSynonyms = jsonRoute(
  operation,
  async ({ caller, query, body, address }, { searchConfiguration }) => {
    const { token, lang: language, ...how } = query;
    return answer(
      200,
      await searchConfiguration.synonyms.put(caller, { token, language }, body, {
        ...how,
        address,
      }),
    );
  },
);
