import { z } from 'zod';
import { CHANGE_ERRORS, type Rows, withIds } from '../operation.ts';
import { interfaceInPath, interfaceRecord } from '../shapes/interface.ts';
import { listOf, pageQuery } from '../shapes/list.ts';

export const operations = withIds({
  listInterfaces: {
    sdk: 'interfaces.list',
    area: 'workspace',
    method: 'GET',
    path: '/api/interfaces',
    auth: 'admin',
    query: pageQuery,
    responses: { 200: { description: 'Interfaces, by name.', body: listOf(interfaceRecord) } },
    errors: [],
    onReplica: 'serve',
    summary: 'List the custom interfaces that were uploaded.',
  },

  putInterface: {
    sdk: 'interfaces.put',
    area: 'workspace',
    method: 'PUT',
    path: '/api/interfaces/{name}',
    auth: 'admin-write',
    tokens: ['interface'],
    params: interfaceInPath,
    /** A zip of its files, with `index.html` at its root. */
    body: z.file(),
    consumes: ['application/zip'],
    responses: { 200: { description: 'The interface as it is listed.', body: interfaceRecord } },
    errors: ['invalid_interface', ...CHANGE_ERRORS],
    onReplica: 'redirect',
    summary: 'Upload a custom interface, or a new version of one.',
  },

  deleteInterface: {
    sdk: 'interfaces.delete',
    area: 'workspace',
    method: 'DELETE',
    path: '/api/interfaces/{name}',
    auth: 'admin-write',
    params: interfaceInPath,
    responses: { 204: { description: 'Deleted.' } },
    errors: ['interface_not_found', 'interface_in_use', ...CHANGE_ERRORS],
    onReplica: 'redirect',
    summary: 'Delete a custom interface that is not the chosen one.',
  },
} as const satisfies Rows);
