import { getSearchSettings as operation } from '@trellis/contract/operations/search.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getSearchSettings = jsonRoute(operation, async ({ caller }, { searchConfiguration }) =>
  answer(200, await searchConfiguration.settings.get(caller)),
);
