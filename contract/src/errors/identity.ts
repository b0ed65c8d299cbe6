import type { ErrorGroup } from './entry.ts';

/** Of who is asking, and of what they may do. */
export const identityErrors = {
  missing_token: {
    status: 401,
    title: 'No token',
    hint: 'Send the header "Authorization: Bearer <token>"; sign in with POST /api/login/create.',
  },
  invalid_token: {
    status: 401,
    title: 'Token not valid',
    hint: 'The token is expired, revoked or signed with another key: sign in again or issue a new one.',
  },
  invalid_credentials: {
    status: 401,
    title: 'Wrong user or password',
    hint: 'Check the user name and the password.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    hint: 'An administrator can grant the role or the scope that details names.',
  },
  wrong_password: {
    status: 422,
    title: 'Old password wrong',
    hint: 'Give the current password as oldPassword.',
  },
  weak_password: {
    status: 422,
    title: 'Password too weak',
    hint: 'Choose at least 10 characters.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    hint: 'Wait for the seconds in the Retry-After header.',
    retryAfterSeconds: 60,
  },
} as const satisfies ErrorGroup;
