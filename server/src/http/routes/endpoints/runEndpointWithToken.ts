import { runEndpointWithToken as operation } from '@trellis/contract/operations/endpoints.ts';
import { runRoute, withinTokenPath } from '../../run-route.ts';

export const runEndpointWithToken = withinTokenPath(runRoute(operation));
