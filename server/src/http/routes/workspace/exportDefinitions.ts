import { exportDefinitions as operation } from '@trellis/contract/operations/definitions.ts';
import { downloadRoute } from '../../download-route.ts';

export const exportDefinitions = downloadRoute(operation, ({ caller }, { definitions }) => ({
  fileName: 'definitions.zip',
  content: definitions.exportZip(caller),
}));
