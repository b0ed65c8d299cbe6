import { runEndpointAlias as operation } from '@trellis/contract/operations/endpoints.ts';
import { runRoute } from '../../run-route.ts';

export const runEndpointAlias = runRoute(operation);
