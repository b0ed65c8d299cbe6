import { operations } from '@trellis/contract/operations/api-document.ts';
import { jsonTextRoute } from '../route.ts';
import { routesOf } from '../routes-of.ts';

export const apiDocumentRoutes = routesOf(operations, {
  getApiDocument: jsonTextRoute(operations.getApiDocument, (caller, { apiDocument }) =>
    apiDocument.text(caller),
  ),
});
