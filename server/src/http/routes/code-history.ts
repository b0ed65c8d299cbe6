import { operations } from '@trellis/contract/operations/code-history.ts';
import { answer, routesOf } from '../route.ts';

export const codeHistoryRoutes = routesOf(operations, {
  listCodeHistory: async ({ caller, query }, { codeHistory }) =>
    answer(200, await codeHistory.list(caller, query)),
  listItemHistory: async ({ caller, params, query }, { codeHistory }) =>
    answer(200, await codeHistory.listItem(caller, params, query)),
  getCodeVersion: async ({ caller, params, query }, { codeHistory }) =>
    answer(200, await codeHistory.version(caller, params, query.version)),
  diffCode: async ({ caller, params, query }, { codeHistory }) =>
    answer(200, await codeHistory.diff(caller, params, query)),
  restoreCode: async ({ caller, params, body, address }, { codeHistory }) =>
    answer(200, await codeHistory.restore(caller, params, body, address)),
  compareCode: async ({ caller, params, body }, { codeHistory }) =>
    answer(200, await codeHistory.compare(caller, params, body)),
  listRecordedInputs: async ({ caller, params }, { codeHistory }) =>
    answer(200, await codeHistory.inputs(caller, params)),
  recordInputs: async ({ caller, params, body, address }, { codeHistory }) =>
    answer(200, await codeHistory.recordInputs(caller, params, body.keep, address)),
});
