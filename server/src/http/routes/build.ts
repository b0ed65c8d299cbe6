import { operations } from '@trellis/contract/operations/build.ts';
import { answer } from '../answer.ts';
import { routesOf } from '../routes-of.ts';

export const buildRoutes = routesOf(operations, {
  getCompileStatus: async ({ caller }, { build }) => answer(200, await build.compileStatus(caller)),
  getBuildCatalog: async ({ caller }, { build }) => answer(200, await build.catalog(caller)),
  getBuildTypes: async ({ caller, query }, { build }) =>
    answer(200, await build.types(caller, query.scope)),
});
