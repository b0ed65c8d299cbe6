import { operations } from '@trellis/contract/operations/api-document.ts';
import { jsonTextRoute, routesOf } from '../route.ts';

export const apiDocumentRoutes = routesOf(operations, {
  getApiDocument: jsonTextRoute(operations.getApiDocument, (caller, { apiDocument }) =>
    apiDocument.text(caller),
  ),
});
