import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import { catalog, compileStatus, typesQuery } from '../shapes/build.ts';
import { callTrace } from '../shapes/call-trace.ts';
import { draftOutcome, draftRun, endpointCalls, endpointTypes } from '../shapes/endpoint-work.ts';
import { LONG_BODY_BYTES_MAX, PATH_TEXT_CHARACTERS_MAX } from '../request-limits.ts';

/** Any text is asked for: a name that no endpoint can have is not found. */
const nameInPath = z.object({ name: z.string().min(1).max(PATH_TEXT_CHARACTERS_MAX) });

export const operations = withIds({
  getCompileStatus: {
    sdk: 'build.getCompileStatus',
    area: 'build',
    method: 'GET',
    path: '/api/build/compile-status',
    auth: 'admin',
    responses: {
      200: { description: 'What does not compile, from the compile caches.', body: compileStatus },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'Tell which code does not compile.',
  },

  getBuildCatalog: {
    sdk: 'build.getCatalog',
    area: 'build',
    method: 'GET',
    path: '/api/build/catalog',
    auth: 'admin',
    responses: { 200: { description: 'Every item of code by name.', body: catalog } },
    errors: [],
    onReplica: 'serve',
    summary: 'List everything that the Build tree draws, without source and without compiling.',
  },

  getBuildTypes: {
    sdk: 'build.getTypes',
    area: 'build',
    method: 'GET',
    path: '/api/build/types',
    auth: 'admin',
    scope: ['read', 'deploy'],
    query: typesQuery,
    responses: {
      200: {
        description: 'TypeScript declarations made of the live schema.',
        body: z.string(),
        contentType: 'text/plain',
      },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'Give the types that the code of endpoints is checked against.',
  },

  getProgramTypes: {
    sdk: 'build.getProgramTypes',
    area: 'build',
    method: 'GET',
    path: '/api/build/program-types',
    auth: 'admin',
    scope: 'deploy',
    responses: {
      200: {
        description: 'A TypeScript module that programs with the SDK are compiled with.',
        body: z.string(),
        contentType: 'text/plain',
      },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'Give the node types, and what endpoints take and answer, as a module for programs.',
  },

  getEndpointTypes: {
    sdk: 'build.getEndpointTypes',
    area: 'build',
    method: 'GET',
    path: '/api/build/endpoint-types/{+name}',
    auth: 'admin',
    params: nameInPath,
    responses: { 200: { description: 'What it takes and answers.', body: endpointTypes } },
    errors: ['endpoint_not_found'],
    onReplica: 'serve',
    summary: 'Tell which JSON an endpoint takes and answers.',
  },

  /** Each server has the calls that it made itself, so this belongs to the area "stats". */
  listEndpointCalls: {
    sdk: 'build.listEndpointCalls',
    area: 'stats',
    method: 'GET',
    path: '/api/build/endpoint-calls/{+name}',
    auth: 'admin',
    params: nameInPath,
    responses: { 200: { description: 'The last ones, newest first.', body: endpointCalls } },
    errors: ['endpoint_not_found'],
    onReplica: 'serve',
    summary: 'List the last runs of an endpoint on this server: who, status, time and size.',
  },

  /** Each server has the traces of its own calls. */
  getCallTrace: {
    sdk: 'build.getCallTrace',
    area: 'stats',
    method: 'GET',
    path: '/api/build/call-traces/{id}',
    auth: 'admin',
    params: z.object({ id: z.string().min(1).max(PATH_TEXT_CHARACTERS_MAX) }),
    responses: { 200: { description: 'The trace.', body: callTrace } },
    errors: ['trace_not_found'],
    onReplica: 'serve',
    summary:
      'Read the trace of a call of an endpoint: what it read, wrote and waited for, and when.',
  },

  runDraft: {
    sdk: 'build.runDraft',
    area: 'build',
    method: 'POST',
    path: '/api/build/run-draft',
    auth: 'admin-write',
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: draftRun,
    responses: { 200: { description: 'How it ran; nothing is changed.', body: draftOutcome } },
    errors: ['endpoint_built_in', 'endpoint_not_compiled'],
    onReplica: 'redirect',
    summary: 'Run code that is not saved, in the read-only scope.',
  },
} as const satisfies Rows);
