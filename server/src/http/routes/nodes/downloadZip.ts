import { downloadZip as operation } from '@trellis/contract/operations/nodes.ts';
import { nodeLinks } from '../../download/node-links.ts';
import { nodeZip } from '../../download/node-zip.ts';
import { downloadRoute } from '../../download-route.ts';

export const downloadZip = downloadRoute(operation, async ({ caller, query, body }, { nodes }) => ({
  fileName: `${body.type ?? 'nodes'}.zip`,
  content: nodeZip(await nodes.exportByType(caller, body), nodeLinks(query.baseURL)),
}));
