import { z } from 'zod';
import { type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { listOf, pageQuery } from '../shapes/list.ts';
import {
  moduleChange,
  moduleCheck,
  moduleCheckRequest,
  moduleDefinition,
  newModule,
} from '../shapes/module.ts';
import { packageSummary } from '../shapes/package.ts';
import { LONG_BODY_BYTES_MAX, PATH_TEXT_CHARACTERS_MAX } from '../request-limits.ts';

/** Any text is asked for: a name that no module can have is not found. */
const nameInPath = z.object({ name: z.string().min(1).max(PATH_TEXT_CHARACTERS_MAX) });

const reads = { area: 'modules', auth: 'admin', onReplica: 'serve' } as const;
const writes = { area: 'modules', auth: 'admin-write', onReplica: 'redirect' } as const;

export const operations = withIds({
  createModule: {
    ...writes,
    sdk: 'modules.create',
    method: 'POST',
    path: '/api/modules/create',
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: newModule,
    responses: {
      201: {
        description: 'The module; with compiles false its code is kept as a draft.',
        body: moduleDefinition,
      },
    },
    errors: ['module_exists', 'too_many_modules', ...STORE_ERRORS],
    summary: 'Create a module: code that endpoints, migrations and other modules import.',
  },

  listModules: {
    ...reads,
    sdk: 'modules.list',
    method: 'GET',
    path: '/api/modules',
    query: pageQuery,
    responses: { 200: { description: 'Modules by name.', body: listOf(moduleDefinition) } },
    errors: [],
    summary: 'List the modules.',
  },

  getModule: {
    ...reads,
    sdk: 'modules.get',
    method: 'GET',
    path: '/api/modules/{+name}',
    params: nameInPath,
    responses: { 200: { description: 'The module.', body: moduleDefinition } },
    errors: ['module_not_found'],
    summary: 'Read one module, and what imports it.',
  },

  putModule: {
    ...writes,
    sdk: 'modules.put',
    method: 'PUT',
    path: '/api/modules/{+name}',
    params: nameInPath,
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: moduleChange,
    responses: {
      200: {
        description: 'The module after the change, and how what imports it compiles now.',
        body: moduleDefinition,
      },
    },
    errors: ['module_not_found', 'version_conflict', ...STORE_ERRORS],
    summary: 'Change a module, and check again what imports it: both in one commit.',
  },

  deleteModule: {
    ...writes,
    sdk: 'modules.delete',
    method: 'DELETE',
    path: '/api/modules/{+name}',
    params: nameInPath,
    responses: { 204: { description: 'Deleted.' } },
    errors: ['module_not_found', 'module_in_use', ...STORE_ERRORS],
    summary: 'Delete a module that nothing imports.',
  },

  checkModule: {
    ...reads,
    sdk: 'modules.check',
    method: 'POST',
    path: '/api/modules/check',
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: moduleCheckRequest,
    responses: { 200: { description: 'What the compiler says of the code.', body: moduleCheck } },
    errors: [],
    summary: 'Compile the code of a module against the live schema without saving it.',
  },

  listPackages: {
    ...reads,
    sdk: 'packages.list',
    method: 'GET',
    path: '/api/packages',
    query: pageQuery,
    responses: {
      200: { description: 'Packages by specifier.', body: listOf(packageSummary) },
    },
    errors: [],
    summary: 'List the packages of npm that "trellis push" has bundled.',
  },
} as const satisfies Rows);
