import { budgetKey } from '#access/caller.ts';
import { downloadSyntheticCsv as operation } from '@trellis/contract/operations/nodes.ts';
import { syntheticCsv, syntheticColumns } from '../../download/synthetic.ts';
import { downloadRoute } from '../../download-route.ts';

export const downloadSyntheticCsv = downloadRoute(operation, ({ caller, body: { nodes } }) => ({
  fileName: 'nodes.csv',
  content: syntheticCsv(nodes, syntheticColumns(nodes), budgetKey(caller)),
}));
