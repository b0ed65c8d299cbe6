import { importDefinitions as operation } from '@trellis/contract/operations/definitions.ts';
import { importRoute } from '../../import-route.ts';

export const importDefinitions = importRoute(operation);
