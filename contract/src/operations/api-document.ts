import { withIds, type Rows } from '../operation.ts';
import { apiDocument } from '../shapes/workspace.ts';

export const operations = withIds({
  /**
   * The same for everybody but for custom endpoints: each is a path of its own for those who may
   * run it, under the path that takes the token which asks. An API token sees none without the
   * scope that runs them.
   */
  getApiDocument: {
    sdk: 'workspace.getApiDocument',
    area: 'workspace',
    method: 'GET',
    path: '/api/openapi.json',
    auth: 'session',
    tokens: ['api', 'endpoint'],
    responses: { 200: { description: 'OpenAPI, version 3.1.', body: apiDocument } },
    errors: [],
    onReplica: 'serve',
    summary: 'Describe the API in OpenAPI 3.1, with the custom endpoints that the caller may run.',
  },
} as const satisfies Rows);
