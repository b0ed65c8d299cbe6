import { operations } from '@trellis/contract/operations/golden-answers.ts';
import { answer, routesOf } from '../route.ts';

export const goldenAnswerRoutes = routesOf(operations, {
  listGoldenAnswers: async ({ caller }, { goldenAnswers }) =>
    answer(200, goldenAnswers.list(caller)),
  getGoldenAnswers: async ({ caller, params }, { goldenAnswers }) =>
    answer(200, goldenAnswers.get(caller, params.name)),
  putGoldenAnswers: async ({ caller, params, body, address }, { goldenAnswers }) =>
    answer(200, await goldenAnswers.put(caller, params.name, body, address)),
  deleteGoldenAnswers: async ({ caller, params, address }, { goldenAnswers }) => {
    await goldenAnswers.delete(caller, params.name, address);
    return answer(204);
  },
  runGoldenAnswers: async ({ caller, params, body = {}, address }, { goldenAnswers }) =>
    answer(202, await goldenAnswers.run(caller, params.name, body, address)),
  listGoldenAnswerRuns: async ({ caller, params }, { goldenAnswers }) =>
    answer(200, goldenAnswers.runs(caller, params.name)),
  getGoldenAnswerRun: async ({ caller, params, query }, { goldenAnswers }) =>
    answer(
      200,
      await goldenAnswers.report(caller, params.name, { run: params.run, compare: query.compare }),
    ),
  labelGoldenAnswers: async ({ caller, params, body, address }, { goldenAnswers }) =>
    answer(200, await goldenAnswers.label(caller, params.name, body, address)),
});
