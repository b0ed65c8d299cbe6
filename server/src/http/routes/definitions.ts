import { operations } from '@trellis/contract/operations/definitions.ts';
import { downloadRoute } from '../download-route.ts';
import { importRoute } from '../upload-route.ts';
import { routesOf } from '../route.ts';

export const definitionsRoutes = routesOf(operations, {
  exportDefinitions: downloadRoute(operations.exportDefinitions, ({ caller }, { definitions }) => ({
    fileName: 'definitions.zip',
    content: definitions.exportZip(caller),
  })),
  importDefinitions: importRoute(operations.importDefinitions),
});
