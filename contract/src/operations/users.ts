import { z } from 'zod';
import { type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { listOf } from '../shapes/list.ts';
import { newUser, searchQuery, userChange, userNode } from '../shapes/user.ts';
import { uidText } from '../bounded-shapes.ts';

const params = z.object({ uid: uidText.min(1) });

export const operations = withIds({
  listUsers: {
    sdk: 'users.list',
    area: 'users',
    method: 'GET',
    path: '/api/users',
    auth: 'session',
    query: searchQuery,
    responses: { 200: { description: 'Users by name.', body: listOf(userNode) } },
    errors: [],
    onReplica: 'serve',
    summary: 'List the users; `query` is looked for in names and addresses.',
  },

  createUser: {
    sdk: 'users.create',
    area: 'users',
    method: 'POST',
    path: '/api/users',
    auth: 'admin-write',
    body: newUser,
    responses: { 201: { description: 'The user.', body: userNode } },
    errors: ['user_exists', 'weak_password', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'Create a user.',
  },

  getUser: {
    sdk: 'users.get',
    area: 'users',
    method: 'GET',
    path: '/api/users/user/{uid}',
    auth: 'session',
    params,
    responses: { 200: { description: 'The whole user.', body: userNode } },
    errors: ['user_not_found'],
    onReplica: 'serve',
    summary: 'Read a user: oneself, or anybody as an administrator.',
  },

  updateUser: {
    sdk: 'users.update',
    area: 'users',
    method: 'PUT',
    path: '/api/users/user/{uid}',
    auth: 'session',
    params,
    body: userChange,
    responses: { 200: { description: 'The user after the change.', body: userNode } },
    errors: ['user_not_found', 'user_exists', 'last_administrator', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary:
      'Change a user: oneself, or others as an administrator or with the role CanManageUsers.',
  },

  deactivateUser: {
    sdk: 'users.deactivate',
    area: 'users',
    method: 'POST',
    path: '/api/users/user/{uid}/deactivate',
    auth: 'admin-write',
    params,
    responses: { 204: { description: 'The user is signed out, and cannot sign in any more.' } },
    errors: ['user_not_found', 'last_administrator', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'Deactivate a user.',
  },

  createPasswordResetLink: {
    sdk: 'users.createPasswordResetLink',
    area: 'users',
    method: 'POST',
    path: '/api/users/user/{uid}/password-reset',
    auth: 'admin-write',
    params,
    responses: {
      201: {
        description: 'The link, to be handed to the user; it works once.',
        body: z.strictObject({ link: z.url(), expiresAt: z.iso.datetime() }),
      },
    },
    errors: ['user_not_found', 'user_deactivated', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'Make a link with which the user can set a new password.',
  },
} as const satisfies Rows);
