import { cancelRunAlias as operation } from '@trellis/contract/operations/endpoints.ts';
import { cancelRoute } from '../../run-route.ts';

export const cancelRunAlias = cancelRoute(operation);
