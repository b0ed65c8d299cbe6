import { downloadLogs as operation } from '@trellis/contract/operations/logs.ts';
import { downloadRoute } from '../../download-route.ts';

export const downloadLogs = downloadRoute(operation, ({ query }, { logs }) => ({
  fileName: 'trellis.log',
  content: logs.download(query),
}));
