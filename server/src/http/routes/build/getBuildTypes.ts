import { getBuildTypes as operation } from '@trellis/contract/operations/build.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getBuildTypes = jsonRoute(operation, async ({ caller, query }, { build }) =>
  answer(200, await build.types(caller, query.scope)),
);
