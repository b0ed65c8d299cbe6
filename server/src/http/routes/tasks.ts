import { operations } from '@trellis/contract/operations/tasks.ts';
import { answer, routesOf } from '../route.ts';

export const tasksRoutes = routesOf(operations, {
  listTasks: async ({ caller, query }, { tasks }) => answer(200, await tasks.list(caller, query)),
  listBuiltInTasks: async ({ caller }, { tasks }) => answer(200, await tasks.builtIns(caller)),
  createTask: async ({ caller, body, address }, { tasks }) =>
    answer(201, await tasks.create(caller, body, address)),
  checkTaskSchedule: async ({ caller, body }, { tasks }) =>
    answer(200, await tasks.check(caller, body)),
  getTask: async ({ caller, params }, { tasks }) =>
    answer(200, await tasks.get(caller, params.name)),
  putTask: async ({ caller, params, body, address }, { tasks }) =>
    answer(200, await tasks.put(caller, params.name, body, address)),
  deleteTask: async ({ caller, params, address }, { tasks }) => {
    await tasks.delete(caller, params.name, address);
    return answer(204);
  },
  runTask: async ({ caller, params, address }, { tasks }) =>
    answer(202, await tasks.run(caller, params.name, address)),
  enableTask: async ({ caller, params, address }, { tasks }) =>
    answer(200, await tasks.setEnabled(caller, params.name, true, address)),
  disableTask: async ({ caller, params, address }, { tasks }) =>
    answer(200, await tasks.setEnabled(caller, params.name, false, address)),
  listTaskRuns: async ({ caller, params, query }, { tasks }) =>
    answer(200, await tasks.runs(caller, params.name, query)),
});
