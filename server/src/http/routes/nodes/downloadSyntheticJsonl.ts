import { budgetKey } from '#access/caller.ts';
import { downloadSyntheticJsonl as operation } from '@trellis/contract/operations/nodes.ts';
import { syntheticJsonl, syntheticColumns } from '../../download/synthetic.ts';
import { downloadRoute } from '../../download-route.ts';

export const downloadSyntheticJsonl = downloadRoute(operation, ({ caller, body: { nodes } }) => ({
  fileName: 'nodes.jsonl',
  content: syntheticJsonl(nodes, syntheticColumns(nodes), budgetKey(caller)),
}));
