import { getApiDocument as operation } from '@trellis/contract/operations/api-document.ts';
import { jsonTextRoute } from '../../json-text-route.ts';

export const getApiDocument = jsonTextRoute(operation, (caller, { apiDocument }) =>
  apiDocument.text(caller),
);
