import { downloadSyntheticJsonl as operation } from '@trellis/contract/operations/nodes.ts';
import { syntheticJsonl, syntheticColumns } from '../../download/synthetic.ts';
import { downloadRoute } from '../../download-route.ts';

export const downloadSyntheticJsonl = downloadRoute(operation, ({ body: { nodes } }) => ({
  fileName: 'nodes.jsonl',
  content: syntheticJsonl(nodes, syntheticColumns(nodes)),
}));
