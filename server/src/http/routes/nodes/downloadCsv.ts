import { downloadCsv as operation } from '@trellis/contract/operations/nodes.ts';
import { nodeLinks } from '../../download/node-links.ts';
import { nodeCsv } from '../../download/node-csv.ts';
import { downloadRoute } from '../../download-route.ts';

export const downloadCsv = downloadRoute(operation, async ({ caller, query, body }, { nodes }) => {
  const exported = await nodes.export(caller, body);
  return {
    fileName: `${exported.type ?? 'nodes'}.csv`,
    content: nodeCsv(exported, nodeLinks(query.baseURL)),
  };
});
