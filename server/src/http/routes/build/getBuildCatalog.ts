import { getBuildCatalog as operation } from '@trellis/contract/operations/build.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getBuildCatalog = jsonRoute(operation, async ({ caller }, { build }) =>
  answer(200, await build.catalog(caller)),
);
