import { type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { listOf, pageQuery } from '../shapes/list.ts';
import { secretChange, secretInPath, secretRecord } from '../shapes/secret.ts';

const writes = { area: 'endpoints', auth: 'admin-write', onReplica: 'redirect' } as const;

export const operations = withIds({
  listSecrets: {
    sdk: 'secrets.list',
    area: 'endpoints',
    method: 'GET',
    path: '/api/secrets',
    auth: 'admin',
    query: pageQuery,
    responses: { 200: { description: 'Secrets, by name.', body: listOf(secretRecord) } },
    errors: [],
    onReplica: 'serve',
    summary:
      'List the secrets that the code of endpoints may name in requests; never their values.',
  },

  putSecret: {
    ...writes,
    sdk: 'secrets.put',
    method: 'PUT',
    path: '/api/secrets/{name}',
    params: secretInPath,
    body: secretChange,
    responses: { 200: { description: 'The secret, without its value.', body: secretRecord } },
    errors: ['secret_limit_reached', ...STORE_ERRORS],
    summary: 'Set a secret: its value, the hosts it is sent to, and the endpoints that may use it.',
  },

  deleteSecret: {
    ...writes,
    sdk: 'secrets.delete',
    method: 'DELETE',
    path: '/api/secrets/{name}',
    params: secretInPath,
    responses: { 204: { description: 'It is gone; requests that name it are refused.' } },
    errors: ['secret_not_found', ...STORE_ERRORS],
    summary: 'Delete a secret.',
  },
} as const satisfies Rows);
