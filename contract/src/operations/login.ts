import { z } from 'zod';
import type { Operation } from '../operation.ts';

export const createLogin = {
  id: 'createLogin',
  area: 'login',
  method: 'POST',
  path: '/api/login/create',
  auth: 'none',
  body: z.strictObject({ user: z.string(), password: z.string() }),
  responses: {
    200: {
      description: 'A session token and when it expires (ISO 8601, UTC).',
      body: z.strictObject({ token: z.string(), expiresAt: z.iso.datetime() }),
    },
  },
  errors: ['invalid_credentials', 'too_many_requests'],
  onReplica: 'serve',
  summary: 'Sign in with user name and password.',
} as const satisfies Operation;

export const checkLogin = {
  id: 'checkLogin',
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
} as const satisfies Operation;

export const changePassword = {
  id: 'changePassword',
  area: 'login',
  method: 'POST',
  path: '/api/login/password/change',
  auth: 'session',
  body: z.strictObject({ oldPassword: z.string(), newPassword: z.string() }),
  responses: { 204: { description: 'Changed; the other sessions of the user have ended.' } },
  errors: ['wrong_password', 'weak_password', 'too_many_requests'],
  onReplica: 'redirect',
  summary: 'Change your own password.',
} as const satisfies Operation;
