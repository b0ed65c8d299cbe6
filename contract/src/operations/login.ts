import { z } from 'zod';
import { USER_TEXT_CHARACTERS_MAX } from '../limits.ts';
import { type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { givenPassword } from '../shapes/user.ts';

export const operations = withIds({
  createLogin: {
    sdk: 'login.create',
    area: 'login',
    method: 'POST',
    path: '/api/login/create',
    auth: 'none',
    body: z.strictObject({
      user: z.string().max(USER_TEXT_CHARACTERS_MAX),
      password: givenPassword,
    }),
    responses: {
      200: {
        description:
          'A session token and when it expires (ISO 8601, UTC). A cookie marks the device: failures of others do not delay it.',
        body: z.strictObject({ token: z.string(), expiresAt: z.iso.datetime() }),
      },
    },
    errors: ['invalid_credentials', 'too_many_requests'],
    onReplica: 'serve',
    summary: 'Sign in with user name and password.',
  },

  checkLogin: {
    sdk: 'login.check',
    area: 'login',
    method: 'GET',
    path: '/api/login/check',
    auth: 'session',
    responses: {
      200: {
        description: 'Who is signed in.',
        body: z.strictObject({ user: z.strictObject({ uid: z.string(), name: z.string() }) }),
      },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'Tell who the session belongs to.',
  },

  changePassword: {
    sdk: 'login.changePassword',
    area: 'login',
    method: 'POST',
    path: '/api/login/password/change',
    auth: 'session',
    body: z.strictObject({ oldPassword: givenPassword, newPassword: givenPassword }),
    responses: { 204: { description: 'Changed; the other sessions of the user have ended.' } },
    errors: ['wrong_password', 'weak_password', 'too_many_requests'],
    onReplica: 'redirect',
    summary: 'Change your own password.',
  },

  resetPassword: {
    sdk: 'login.resetPassword',
    area: 'login',
    method: 'POST',
    path: '/api/login/password/reset',
    auth: 'none',
    body: z.strictObject({ email: z.string().max(USER_TEXT_CHARACTERS_MAX) }),
    responses: {
      202: {
        description: 'The same whether there is such a user or not, and however often it is asked.',
        body: z.strictObject({}),
      },
    },
    errors: [],
    onReplica: 'redirect',
    summary: 'Have a link mailed with which one can set a new password.',
  },

  completePasswordReset: {
    sdk: 'login.completePasswordReset',
    area: 'login',
    method: 'POST',
    path: '/api/login/password/reset/complete',
    auth: 'none',
    body: z.strictObject({ token: z.string().max(200), newPassword: givenPassword }),
    responses: { 204: { description: 'Changed; the sessions of the user have ended.' } },
    errors: ['invalid_reset_token', 'weak_password', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'Set a new password with the token of a reset link.',
  },

  endSession: {
    sdk: 'login.end',
    area: 'login',
    method: 'POST',
    path: '/api/login/end',
    auth: 'session',
    responses: { 204: { description: 'Signed out; the token is refused from the next request.' } },
    errors: [...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'Sign out: end this session.',
  },
} as const satisfies Rows);
