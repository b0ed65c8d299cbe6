import type { ErrorGroup } from './entry.ts';

/** Custom endpoints. */
export const endpointErrors = {
  endpoint_not_found: {
    status: 404,
    title: 'Endpoint not found',
    hint: 'GET /api/endpoints lists the endpoints there are.',
  },
  endpoint_exists: {
    status: 409,
    title: 'Endpoint exists',
    hint: 'Change it with PUT /api/endpoints/{name}, or choose another name.',
  },
  endpoint_built_in: {
    status: 403,
    title: 'Endpoint is built in',
    hint: 'Create an endpoint of another name; GET /api/endpoints/{name} shows the code of this one.',
  },
  module_not_found: {
    status: 404,
    title: 'Module not found',
    hint: 'GET /api/modules lists the modules there are.',
  },
  module_exists: {
    status: 409,
    title: 'Module exists',
    hint: 'Change it with PUT /api/modules/{name}, or choose another name.',
  },
  module_in_use: {
    status: 409,
    title: 'Module is imported',
    hint: 'Change the code that imports it first: details.usedBy names it.',
  },
  too_many_modules: {
    status: 409,
    title: 'Too many modules',
    hint: 'Delete modules that nothing imports, or put several into one.',
  },
  code_version_not_found: {
    status: 404,
    title: 'Version not found',
    hint: 'GET /api/code/history/all lists the changes of all code.',
  },
  trace_not_found: {
    status: 404,
    title: 'Trace not found',
    hint: 'Only some calls have a trace, and only the last are kept, in the memory of one server.',
  },
  recorded_input_not_found: {
    status: 404,
    title: 'Recorded input not found',
    hint: 'Only the last are kept, in the memory of one server; list those there are.',
  },
  not_read_only: {
    status: 422,
    title: 'Endpoint is not read-only',
    hint: 'Remove the writes named in details.diagnostics, or leave isReadOnly off.',
  },
  endpoint_not_compiled: {
    status: 422,
    title: 'Endpoint does not compile',
    hint: 'Its definition lists the diagnostics; save code that compiles.',
  },
  tool_not_found: {
    status: 404,
    title: 'Tool not found',
    hint: 'GET /api/chatai/tools lists the tools there are.',
  },
  tool_exists: {
    status: 409,
    title: 'Tool exists',
    hint: 'Change it with PUT /api/chatai/tools/{name}, or choose another name.',
  },
  bad_request: {
    status: 400,
    title: 'Endpoint refuses the request',
    hint: 'The message is the answer of the endpoint; compare the body with what it takes.',
  },
  unauthorized: {
    status: 401,
    title: 'Endpoint does not know the caller',
    hint: 'The message is the answer of the endpoint; call it with a session or another token.',
  },
  not_found: {
    status: 404,
    title: 'Endpoint finds nothing',
    hint: 'The message is the answer of the endpoint.',
  },
  endpoint_failed: {
    status: 500,
    title: 'Endpoint failed',
    hint: 'The code of the endpoint threw; an administrator sees why.',
  },
  run_not_found: {
    status: 404,
    title: 'Run not found',
    hint: 'It was cancelled, ended too long ago, or is of another caller, endpoint or server; call without a key.',
  },
  fetch_failed: {
    status: 502,
    title: 'Fetch failed',
    hint: 'An endpoint asked another server, which did not answer as it should; the message says how.',
  },
  secret_not_found: {
    status: 404,
    title: 'Secret not found',
    hint: 'GET /api/secrets lists the names there are.',
  },
  secret_not_allowed: {
    status: 403,
    title: 'Secret not for this request',
    hint: 'An administrator sets the hosts and endpoints of a secret with PUT /api/secrets/{name}.',
  },
  secret_unreadable: {
    status: 409,
    title: 'Secret cannot be opened',
    hint: 'The key that signs tokens is another one than when the value was set: set it again with PUT /api/secrets/{name}.',
  },
  secret_limit_reached: {
    status: 409,
    title: 'Too many secrets',
    hint: 'Delete those that no endpoint names any more.',
  },
  endpoint_overloaded: {
    status: 503,
    title: 'Endpoint overloaded',
    hint: 'Repeat the call after the seconds in the Retry-After header.',
    retryAfterSeconds: 1,
  },
  too_many_watches: {
    status: 429,
    title: 'Too many watches',
    hint: 'Close some of yours: each page or program needs one for each question.',
    retryAfterSeconds: 10,
  },
  watches_full: {
    status: 503,
    title: 'No room for another watch',
    hint: 'Watch on another replica, run the endpoint now and then, or come back later.',
    retryAfterSeconds: 10,
  },
  watched_answer_too_large: {
    status: 500,
    title: 'Answer too large to be watched',
    hint: 'Let the endpoint answer less, such as a page of it; or run it instead.',
  },
  compiler_timeout: {
    status: 504,
    title: 'Compiler took too long',
    hint: 'Simplify the types in the code.',
  },
  endpoint_timeout: {
    status: 504,
    title: 'Endpoint took too long',
    hint: 'Let it do less, raise its timeoutMs, or give it the mode "pooling".',
  },
} as const satisfies ErrorGroup;
