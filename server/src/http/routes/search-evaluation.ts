import { operations } from '@trellis/contract/operations/search-evaluation.ts';
import { answer, routesOf } from '../route.ts';

export const searchEvaluationRoutes = routesOf(operations, {
  listGoldenSets: async ({ caller }, { goldenSets }) => answer(200, await goldenSets.list(caller)),
  getGoldenSet: async ({ caller, params }, { goldenSets }) =>
    answer(200, await goldenSets.get(caller, params.name)),
  putGoldenSet: async ({ caller, params, body }, { goldenSets }) =>
    answer(200, await goldenSets.put(caller, params.name, body)),
  deleteGoldenSet: async ({ caller, params }, { goldenSets }) => {
    await goldenSets.delete(caller, params.name);
    return answer(204);
  },
  runGoldenSet: async ({ caller, params }, { goldenSets }) =>
    answer(200, await goldenSets.run(caller, params.name)),
  listGoldenSetRuns: async ({ caller, params }, { goldenSets }) =>
    answer(200, await goldenSets.runs(caller, params.name)),
});
