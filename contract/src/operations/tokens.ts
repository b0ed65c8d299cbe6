import { z } from 'zod';
import { type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { listOf, pageQuery, queryFlag } from '../shapes/list.ts';
import { createdToken, newToken, tokenKind, tokenRecord } from '../shapes/token.ts';
import { uidText } from '../bounded-shapes.ts';

const tokenInPath = z.object({ id: uidText.min(1) });

export const operations = withIds({
  listTokens: {
    sdk: 'tokens.list',
    area: 'tokens',
    method: 'GET',
    path: '/api/tokens',
    auth: 'admin',
    query: pageQuery.extend({
      kind: tokenKind.optional(),
      /** Only those that are revoked, or only those that are not. */
      revoked: queryFlag.optional(),
    }),
    responses: { 200: { description: 'Tokens, newest first.', body: listOf(tokenRecord) } },
    errors: [],
    onReplica: 'serve',
    summary:
      'List the tokens, with revoked=false without those that are revoked; never their values.',
  },

  getToken: {
    sdk: 'tokens.get',
    area: 'tokens',
    method: 'GET',
    path: '/api/tokens/{id}',
    auth: 'admin',
    params: tokenInPath,
    responses: { 200: { description: 'The token, without its value.', body: tokenRecord } },
    errors: ['token_not_found'],
    onReplica: 'serve',
    summary: 'Read one token: its kind and scopes, when it was used last, whether it is revoked.',
  },

  createToken: {
    sdk: 'tokens.create',
    area: 'tokens',
    method: 'POST',
    path: '/api/tokens',
    auth: 'admin-write',
    body: newToken,
    responses: {
      201: {
        description: 'The token; its value is shown this once.',
        body: createdToken,
      },
    },
    errors: [...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'Create a token.',
  },

  revokeToken: {
    sdk: 'tokens.revoke',
    area: 'tokens',
    method: 'DELETE',
    path: '/api/tokens/{id}',
    auth: 'admin-write',
    params: tokenInPath,
    responses: { 204: { description: 'Revoked; it is refused from the next request.' } },
    errors: ['token_not_found', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'Revoke a token, for good.',
  },
} as const satisfies Rows);
