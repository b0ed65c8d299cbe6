import type { FastifyRequest } from 'fastify';
import { operations } from '@trellis/contract/operations/endpoints.ts';
import { assert, must } from '#base/assert.ts';
import { pathCovers } from '#identity/token-claims.ts';
import { notFound } from '#runtime/endpoint-definitions.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { Disconnect } from '../live-answers.ts';
import { forwardedHeaders, RUN_KEY, RUN_KEY_ALIAS, SEQUENCE } from '../headers.ts';
import { sendRaw } from '../raw-answer.ts';
import { watchRoute } from '../watch-route.ts';
import { answer, restOfPath, type Route, routesOf, sendNoBody } from '../route.ts';

/**
 * The characters of a header's value: no control characters, so that no endpoint can add headers.
 */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The route that runs an endpoint. The body goes to the worker as text, and the answer comes back
 * as text: nothing is parsed on the way (design, section 3).
 */
function runRoute(operation: Operation): Route {
  return {
    operation,
    intake: 'text',
    answersRaw: true,
    async handle(request, reply, context) {
      context.unreadAnswers.check(reply);
      const outcome = await context.services.endpoints.run({
        caller: must(request.caller, 'the caller of a run'),
        name: restOfPath(request),
        body: typeof request.body === 'string' ? request.body : null,
        headers: forwardedHeaders(request.headers),
        authorization: request.headers.authorization,
        runKey: runKeyOf(request),
        traceId: request.id,
        onRunKey: (key) => void reply.header(RUN_KEY, key),
        signal: new Disconnect(reply),
      });
      checkHeaders(outcome.headers);
      const sent = sendRaw(reply, context, outcome);
      if (sent !== undefined) await sent;
      return undefined;
    },
  };
}

/** Cancels a run of mode "pooling". It needs only the header with the key of the run. */
function cancelRoute(operation: Operation): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, { services }) {
      const caller = must(request.caller, 'the caller of a run');
      await services.endpoints.cancelRun(caller, restOfPath(request), runKeyOf(request));
      reply.code(204).header(SEQUENCE, services.sequence());
      return sendNoBody(reply);
    },
  };
}

/** An endpoint outside the path of the token does not exist for it (open-shapes, section 2). */
function withinTokenPath(route: Route): Route {
  return {
    ...route,
    async handle(request, reply, context) {
      const path = must(request.caller?.endpointPath, 'the path of an endpoint token');
      const name = restOfPath(request);
      if (!pathCovers(path, name)) throw notFound(name);
      return route.handle(request, reply, context);
    },
  };
}

function checkHeaders(headers: Readonly<Record<string, string>> = {}): void {
  for (const name in headers) {
    assert(HEADER_VALUE.test(headers[name] ?? ''), `the endpoint's header ${name} cannot be sent`);
  }
}

function runKeyOf({ headers }: FastifyRequest): string | null {
  const key = headers[RUN_KEY] ?? headers[RUN_KEY_ALIAS];
  return typeof key === 'string' && key !== '' ? key : null;
}

export const endpointsRoutes = routesOf(operations, {
  createEndpoint: async ({ caller, body }, { endpoints }) =>
    answer(201, await endpoints.create(caller, body)),
  listEndpoints: async ({ caller, query }, { endpoints }) =>
    answer(200, await endpoints.list(caller, query)),
  getEndpoint: async ({ caller, params }, { endpoints }) =>
    answer(200, await endpoints.get(caller, params.name)),
  putEndpoint: async ({ caller, params, body }, { endpoints }) =>
    answer(200, await endpoints.put(caller, params.name, body)),
  deleteEndpoint: async ({ caller, params }, { endpoints }) => {
    await endpoints.delete(caller, params.name);
    return answer(204);
  },
  checkEndpoint: async ({ caller, body }, { endpoints }) =>
    answer(200, await endpoints.check(caller, body)),
  runEndpoint: runRoute(operations.runEndpoint),
  runEndpointAlias: runRoute(operations.runEndpointAlias),
  runEndpointWithToken: withinTokenPath(runRoute(operations.runEndpointWithToken)),
  watchEndpoint: watchRoute(operations.watchEndpoint),
  watchEndpointWithToken: withinTokenPath(watchRoute(operations.watchEndpointWithToken)),
  cancelRun: cancelRoute(operations.cancelRun),
  cancelRunAlias: cancelRoute(operations.cancelRunAlias),
  cancelRunWithToken: withinTokenPath(cancelRoute(operations.cancelRunWithToken)),
});
