import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import { catalog, compileStatus, typesQuery } from '../shapes/build.ts';

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
    scope: 'read',
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
} as const satisfies Rows);
