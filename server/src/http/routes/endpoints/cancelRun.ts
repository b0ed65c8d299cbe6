import { cancelRun as operation } from '@trellis/contract/operations/endpoints.ts';
import { cancelRoute } from '../../run-route.ts';

export const cancelRun = cancelRoute(operation);
