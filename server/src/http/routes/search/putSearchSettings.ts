import { putSearchSettings as operation } from '@trellis/contract/operations/search.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putSearchSettings = jsonRoute(
  operation,
  async ({ caller, body, address }, { searchConfiguration }) =>
    answer(200, await searchConfiguration.settings.put(caller, body, address)),
);
