import type { NodeService } from '#access/node-service.ts';
import { operations } from '@trellis/contract/operations/nodes.ts';
import type { NodeReference } from '@trellis/contract/shapes/node-reference.ts';
import { budgetKey } from '#access/caller.ts';
import { answer, routesOf } from '../route.ts';
import { downloadRoute } from '../download-route.ts';
import {
  linkPrefix,
  nodeZip,
  syntheticColumns,
  syntheticCsv,
  syntheticJsonl,
} from '../downloaded-nodes.ts';

export const nodesRoutes = routesOf(operations, {
  getNode: ({ caller, params }, { nodes }) => {
    const { node, version } = nodes.read(caller, params.uid);
    return answer(200, node, { etag: `"${version}"` });
  },
  getNodeHistory: async ({ caller, params, query }, { nodes }) =>
    answer(200, await nodes.history(caller, params.uid, query)),
  queryNodes: async ({ caller, body }, { nodes }) =>
    answer(200, await nodes.query(caller, byUid(body, nodes))),
  getManyNodes: async ({ caller, body }, { nodes }) =>
    answer(200, await nodes.many(caller, nodes.uidsOf(body.uids))),
  getManyFields: async ({ caller, body }, { nodes }) =>
    answer(200, await nodes.manyFields(caller, { ...body, uids: nodes.uidsOf(body.uids) })),
  downloadCsv: downloadRoute(operations.downloadCsv, async ({ caller, query, body }, { nodes }) => {
    const exported = await nodes.export(caller, byUid(body, nodes));
    return {
      fileName: `${exported.type ?? 'nodes'}.csv`,
      content: exported.rows({ form: 'csv', linkPrefix: linkPrefix(query.baseURL) }),
    };
  }),
  downloadJsonl: downloadRoute(
    operations.downloadJsonl,
    async ({ caller, query, body }, { nodes }) => {
      const exported = await nodes.export(caller, byUid(body, nodes));
      return {
        fileName: `${exported.type ?? 'nodes'}.jsonl`,
        content: exported.rows({ form: 'jsonl', linkPrefix: linkPrefix(query.baseURL) }),
      };
    },
  ),
  downloadZip: downloadRoute(
    operations.downloadZip,
    async ({ caller, query, body }, { nodes }) => ({
      fileName: `${body.type ?? 'nodes'}.zip`,
      content: nodeZip(
        await nodes.exportByType(caller, byUid(body, nodes)),
        linkPrefix(query.baseURL),
      ),
    }),
  ),
  downloadSyntheticCsv: downloadRoute(
    operations.downloadSyntheticCsv,
    ({ caller, body: { nodes } }) => ({
      fileName: 'nodes.csv',
      content: syntheticCsv(nodes, syntheticColumns(nodes), budgetKey(caller)),
    }),
  ),
  downloadSyntheticJsonl: downloadRoute(
    operations.downloadSyntheticJsonl,
    ({ caller, body: { nodes } }) => ({
      fileName: 'nodes.jsonl',
      content: syntheticJsonl(nodes, syntheticColumns(nodes), budgetKey(caller)),
    }),
  ),
});

/** The same selection by UIDs. */
function byUid<Selection extends { readonly uids?: readonly NodeReference[] | undefined }>(
  selection: Selection,
  nodes: Pick<NodeService, 'uidsOf'>,
): Omit<Selection, 'uids'> & { readonly uids?: readonly string[] } {
  const { uids, ...rest } = selection;
  return uids === undefined ? rest : { ...rest, uids: nodes.uidsOf(uids) };
}
