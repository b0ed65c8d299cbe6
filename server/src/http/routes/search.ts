import { operations } from '@trellis/contract/operations/search.ts';
import { answer, routesOf } from '../route.ts';

export const searchRoutes = routesOf(operations, {
  getSearchSettings: async ({ caller }, { searchConfiguration }) =>
    answer(200, await searchConfiguration.settings.get(caller)),
  putSearchSettings: async ({ caller, body, address }, { searchConfiguration }) =>
    answer(200, await searchConfiguration.settings.put(caller, body, address)),
  getLlmSearchSettings: async ({ caller }, { llmSearchSettings }) =>
    answer(200, await llmSearchSettings.get(caller)),
  putLlmSearchSettings: async ({ caller, body, address }, { llmSearchSettings }) =>
    answer(200, await llmSearchSettings.put(caller, body, address)),
  getSearchIndex: async (_input, { searchConfiguration }) =>
    answer(200, searchConfiguration.indexState()),
  listSynonyms: async ({ caller, query, headers }, { searchConfiguration }) => {
    const { lang: language, query: part, includeSynonyms } = query;
    const { 'x-msk-skip': skip, 'x-msk-limit': take } = headers;
    const isPairs = includeSynonyms === '1';
    return answer(
      200,
      await searchConfiguration.synonyms.list(caller, { language, part, isPairs, skip, take }),
    );
  },
  getSynonyms: async ({ caller, query }, { searchConfiguration }) => {
    const { token, lang: language, tolerance } = query;
    return answer(
      200,
      await searchConfiguration.synonyms.get(caller, { token, language }, tolerance),
    );
  },
  putSynonyms: async ({ caller, query, body, address }, { searchConfiguration }) => {
    const { token, lang: language, ...how } = query;
    return answer(
      200,
      await searchConfiguration.synonyms.put(caller, { token, language }, body, {
        ...how,
        address,
      }),
    );
  },
});
