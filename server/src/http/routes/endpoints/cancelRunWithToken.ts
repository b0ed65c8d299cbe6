import { cancelRunWithToken as operation } from '@trellis/contract/operations/endpoints.ts';
import { cancelRoute, withinTokenPath } from '../../run-route.ts';

export const cancelRunWithToken = withinTokenPath(cancelRoute(operation));
