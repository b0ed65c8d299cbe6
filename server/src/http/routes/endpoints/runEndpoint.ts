import { runEndpoint as operation } from '@trellis/contract/operations/endpoints.ts';
import { runRoute } from '../../run-route.ts';

export const runEndpoint = runRoute(operation);
