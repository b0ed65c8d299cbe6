import { downloadJsonl as operation } from '@trellis/contract/operations/nodes.ts';
import { nodeLinks } from '../../download/node-links.ts';
import { nodeJsonl } from '../../download/node-jsonl.ts';
import { downloadRoute } from '../../download-route.ts';

export const downloadJsonl = downloadRoute(
  operation,
  async ({ caller, query, body }, { nodes }) => {
    const exported = await nodes.export(caller, body);
    return {
      fileName: `${exported.type ?? 'nodes'}.jsonl`,
      content: nodeJsonl(exported, nodeLinks(query.baseURL)),
    };
  },
);
