import { operations } from '@trellis/contract/operations/data.ts';
import { answer, routesOf } from '../route.ts';

export const dataRoutes = routesOf(operations, {
  listNodeTypes: ({ caller }, { nodeWriter }) => answer(200, nodeWriter.types(caller)),
  getNodeRecord: async ({ caller, params }, { nodeWriter }) =>
    answer(200, await nodeWriter.record(caller, params.uid)),
  createNode: async ({ caller, body, address }, { nodeWriter }) =>
    answer(201, await nodeWriter.create({ caller, address }, body)),
  updateNode: async ({ caller, params, headers, body, address }, { nodeWriter }) =>
    answer(200, await nodeWriter.update({ caller, address }, { ...params, ...headers }, body)),
  deleteNode: async ({ caller, params, headers, query, address }, { nodeWriter }) => {
    const ifVersion = query.ifVersion === 0 ? undefined : query.ifVersion;
    await nodeWriter.delete({ caller, address }, { ...params, ...headers }, ifVersion);
    return answer(204);
  },
  changeNodeLinks: async ({ caller, params, headers, body, address }, { nodeWriter }) =>
    answer(200, await nodeWriter.changeLinks({ caller, address }, { ...params, ...headers }, body)),
  restoreNode: async ({ caller, params, headers, body, address }, { nodeWriter }) =>
    answer(200, await nodeWriter.restore({ caller, address }, { ...params, ...headers }, body)),
  changeManyNodes: async ({ caller, body, address }, { nodeBulk }) =>
    answer(200, await nodeBulk.change({ caller, address }, body.uids, body.change)),
});
