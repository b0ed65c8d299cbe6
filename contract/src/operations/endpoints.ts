import { z } from 'zod';
import { type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import {
  endpointChange,
  endpointCheck,
  endpointCheckRequest,
  endpointDefinition,
  newEndpoint,
} from '../shapes/endpoint.ts';
import { eventStreamHeaders, listOf, pageQuery } from '../shapes/list.ts';
import { JSON_BODY_BYTES_MAX } from '../limits.ts';
import {
  HEADER_TEXT_CHARACTERS_MAX,
  LONG_BODY_BYTES_MAX,
  PATH_TEXT_CHARACTERS_MAX,
} from '../request-limits.ts';

/** Any text is asked for: a name that no endpoint can have is not found. */
const nameInPath = z.object({ name: z.string().min(1).max(PATH_TEXT_CHARACTERS_MAX) });

/** The key of a run that is under way, under either name. */
const runHeaders = z.object({
  'msk-endpoint-key': z.string().max(HEADER_TEXT_CHARACTERS_MAX).optional(),
  'x-msk-endpoint-key': z.string().max(HEADER_TEXT_CHARACTERS_MAX).optional(),
});

const run = {
  area: 'endpoints',
  method: 'POST',
  params: nameInPath,
  headers: runHeaders,
  /** Whatever the endpoint takes: the worker parses it, once. */
  body: z.unknown(),
  bodyBytesMax: JSON_BODY_BYTES_MAX,
  responses: {
    200: {
      description: 'Whatever the endpoint returns.',
      body: z.unknown(),
      headers: ['MSK-ENDPOINT-KEY', 'MSK-CACHE', 'Age'],
    },
    202: {
      description:
        'It still runs (mode "pooling"): ask again, with the header MSK-ENDPOINT-KEY. ' +
        'MSK-ENDPOINT-PROGRESS says how far it is.',
      headers: ['MSK-ENDPOINT-KEY', 'MSK-ENDPOINT-PROGRESS'],
    },
    303: {
      description: 'This replica does not run it, as it is not read-only: call Location instead.',
    },
  },
  anyStatus: true,
  errors: [
    'endpoint_not_found',
    'endpoint_not_compiled',
    'malformed_json',
    'bad_request',
    'unauthorized',
    'forbidden',
    'not_found',
    'run_not_found',
    'endpoint_failed',
    'endpoint_overloaded',
    'endpoint_timeout',
    'write_conflict',
  ],
  onReplica: 'serve',
} as const;

const cancel = {
  area: 'endpoints',
  method: 'DELETE',
  params: nameInPath,
  headers: runHeaders,
  responses: {
    204: { description: 'Cancelled: nobody is given its answer any more.' },
    303: {
      description: 'This replica does not run it, as it is not read-only: call Location instead.',
    },
  },
  errors: ['endpoint_not_found', 'endpoint_not_compiled', 'forbidden', 'run_not_found'],
  onReplica: 'serve',
} as const;

const watch = {
  area: 'endpoints',
  method: 'POST',
  params: nameInPath,
  headers: eventStreamHeaders,
  /** As of a run. */
  body: z.unknown(),
  bodyBytesMax: JSON_BODY_BYTES_MAX,
  responses: {
    200: {
      description:
        'Events, as long as the caller reads and may: the value at once, and each time that it changes.',
      body: z.string(),
      contentType: 'text/event-stream',
    },
  },
  anyStatus: true,
  errors: [
    'endpoint_not_found',
    'endpoint_not_compiled',
    'not_read_only',
    'malformed_json',
    'endpoint_overloaded',
    'too_many_watches',
    'watches_full',
  ],
  onReplica: 'serve',
} as const;

export const operations = withIds({
  createEndpoint: {
    sdk: 'endpoints.create',
    area: 'endpoints',
    method: 'POST',
    path: '/api/endpoints/create',
    auth: 'admin-write',
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: newEndpoint,
    responses: {
      201: {
        description: 'The endpoint; with compiles false its code is kept as a draft.',
        body: endpointDefinition,
      },
    },
    errors: ['endpoint_exists', 'not_read_only', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'Create a custom endpoint.',
  },

  listEndpoints: {
    sdk: 'endpoints.list',
    area: 'endpoints',
    method: 'GET',
    path: '/api/endpoints',
    auth: 'admin',
    query: pageQuery,
    responses: { 200: { description: 'Endpoints by name.', body: listOf(endpointDefinition) } },
    errors: [],
    onReplica: 'serve',
    summary: 'List the custom endpoints.',
  },

  getEndpoint: {
    sdk: 'endpoints.get',
    area: 'endpoints',
    method: 'GET',
    path: '/api/endpoints/{+name}',
    auth: 'admin',
    params: nameInPath,
    responses: { 200: { description: 'The endpoint.', body: endpointDefinition } },
    errors: ['endpoint_not_found'],
    onReplica: 'serve',
    summary: 'Read one custom endpoint.',
  },

  putEndpoint: {
    sdk: 'endpoints.put',
    area: 'endpoints',
    method: 'PUT',
    path: '/api/endpoints/{+name}',
    auth: 'admin-write',
    params: nameInPath,
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: endpointChange,
    responses: { 200: { description: 'The endpoint after the change.', body: endpointDefinition } },
    errors: [
      'endpoint_not_found',
      'endpoint_built_in',
      'version_conflict',
      'not_read_only',
      ...STORE_ERRORS,
    ],
    onReplica: 'redirect',
    summary: 'Change a custom endpoint; what the body leaves out stays as it is.',
  },

  deleteEndpoint: {
    sdk: 'endpoints.delete',
    area: 'endpoints',
    method: 'DELETE',
    path: '/api/endpoints/{+name}',
    auth: 'admin-write',
    params: nameInPath,
    responses: { 204: { description: 'Deleted.' } },
    errors: ['endpoint_not_found', 'endpoint_built_in', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'Delete a custom endpoint.',
  },

  checkEndpoint: {
    sdk: 'endpoints.check',
    area: 'endpoints',
    method: 'POST',
    path: '/api/endpoints/check',
    auth: 'admin',
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: endpointCheckRequest,
    responses: { 200: { description: 'What the compiler says of the code.', body: endpointCheck } },
    errors: [],
    onReplica: 'serve',
    summary: 'Compile code against the live schema without saving it.',
  },

  runEndpoint: {
    ...run,
    sdk: 'endpoints.run',
    path: '/api/endpoints/run/{+name}',
    auth: 'session',
    scope: 'endpoints:run',
    summary: 'Run a custom endpoint.',
  },

  runEndpointAlias: {
    ...run,
    sdk: 'endpoints.runAlias',
    path: '/api/cce/{+name}',
    auth: 'session',
    scope: 'endpoints:run',
    summary: 'Run a custom endpoint (the path that the front end uses).',
  },

  /**
   * An endpoint that the token's path leaves out is not found. One whose access is "admins" needs a
   * token that acts as an administrator: a token that acts as nobody has no role.
   */
  runEndpointWithToken: {
    ...run,
    sdk: 'endpoints.runWithToken',
    path: '/api/endpoints/token/run/{+name}',
    auth: 'token',
    tokens: ['endpoint'],
    summary: 'Run a custom endpoint with an endpoint token.',
  },

  /**
   * Server-Sent Events: `value` with `sequence`, which is also the id, and the answer; `error` when
   * there is none; `ping`. A client that comes back with the last id is told nothing as long as the
   * answer is the same.
   */
  watchEndpoint: {
    ...watch,
    sdk: 'endpoints.watch',
    path: '/api/endpoints/live/{+name}',
    auth: 'session',
    scope: 'endpoints:run',
    summary: 'Watch the answer of a read-only endpoint.',
  },

  watchEndpointWithToken: {
    ...watch,
    sdk: 'endpoints.watchWithToken',
    path: '/api/endpoints/token/live/{+name}',
    auth: 'token',
    tokens: ['endpoint'],
    summary: 'Watch the answer of a read-only endpoint with an endpoint token.',
  },

  /**
   * The header MSK-ENDPOINT-KEY names the run; without it, or when the run is somebody else's, it
   * is not found.
   */
  cancelRun: {
    ...cancel,
    sdk: 'endpoints.cancelRun',
    path: '/api/endpoints/run/{+name}',
    auth: 'session',
    scope: 'endpoints:run',
    summary: 'Cancel a run of mode "pooling".',
  },

  cancelRunAlias: {
    ...cancel,
    sdk: 'endpoints.cancelRunAlias',
    path: '/api/cce/{+name}',
    auth: 'session',
    scope: 'endpoints:run',
    summary: 'Cancel a run of mode "pooling" (the path that the front end uses).',
  },

  cancelRunWithToken: {
    ...cancel,
    sdk: 'endpoints.cancelRunWithToken',
    path: '/api/endpoints/token/run/{+name}',
    auth: 'token',
    tokens: ['endpoint'],
    summary: 'Cancel a run of mode "pooling" with an endpoint token.',
  },
} as const satisfies Rows);
