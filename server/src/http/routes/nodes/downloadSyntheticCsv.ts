import { downloadSyntheticCsv as operation } from '@trellis/contract/operations/nodes.ts';
import { syntheticCsv, syntheticColumns } from '../../download/synthetic.ts';
import { downloadRoute } from '../../download-route.ts';

export const downloadSyntheticCsv = downloadRoute(operation, ({ body: { nodes } }) => ({
  fileName: 'nodes.csv',
  content: syntheticCsv(nodes, syntheticColumns(nodes)),
}));
