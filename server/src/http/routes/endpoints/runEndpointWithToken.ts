import { must } from '#base/assert.ts';
import { pathCovers } from '#identity/token-path.ts';
import { notFound } from '#runtime/endpoint-definitions.ts';
import { runEndpointWithToken as operation } from '@trellis/contract/operations/endpoints.ts';
import { restOfPath, type Route } from '../../route.ts';
import { runRoute } from '../../run-route.ts';

const run = runRoute(operation);

/** What the token's path leaves out does not exist for it (open-shapes, section 2). */
export const runEndpointWithToken: Route = {
  ...run,
  async handle(request, reply, context) {
    const path = must(request.caller?.endpointPath, 'the path of an endpoint token');
    const name = restOfPath(request);
    if (!pathCovers(path, name)) throw notFound(name);
    return run.handle(request, reply, context);
  },
};
