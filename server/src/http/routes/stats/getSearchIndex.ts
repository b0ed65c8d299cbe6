import { getSearchIndex as operation } from '@trellis/contract/operations/search.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getSearchIndex = jsonRoute(operation, async (_input, { searchConfiguration }) =>
  answer(200, searchConfiguration.indexState()),
);
