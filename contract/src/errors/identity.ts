import type { ErrorGroup } from './entry.ts';

/** Who is asking, and what they may do. */
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
  user_not_found: {
    status: 404,
    title: 'No such user',
    hint: 'GET /api/users lists the users and their UIDs.',
  },
  user_deactivated: {
    status: 409,
    title: 'User is deactivated',
    hint: 'Let the user in again first, with "active": true.',
  },
  user_exists: {
    status: 409,
    title: 'User exists already',
    hint: 'Choose another name or address; names differ in more than case.',
  },
  last_administrator: {
    status: 409,
    title: 'Last administrator',
    hint: 'Make somebody else an administrator first.',
  },
  scim_invalid_request: {
    status: 400,
    title: 'Not valid in SCIM',
    hint: 'Look at scimType and detail: they say of what kind the fault is, and where (RFC 7644, section 3.12).',
  },
  scim_not_managed: {
    status: 403,
    title: 'Kept by hand',
    hint: 'An administrator can hand the user or the team over to SCIM, with "source": "scim".',
  },
  scim_resource_not_found: {
    status: 404,
    title: 'No such resource of SCIM',
    hint: 'Look it up by a filter, such as userName eq "ann".',
  },
  scim_version_mismatch: {
    status: 412,
    title: 'Changed meanwhile',
    hint: 'Read the resource again, and send the request with its new version.',
  },
  team_not_found: {
    status: 404,
    title: 'No such team',
    hint: 'GET /api/groups lists the teams and their UIDs.',
  },
  team_exists: {
    status: 409,
    title: 'Team exists already',
    hint: 'Choose another name; names differ in more than case.',
  },
  team_cycle: {
    status: 422,
    title: 'Team would contain itself',
    hint: 'Take the outer team out of the inner one first.',
  },
  teams_disabled: {
    status: 403,
    title: 'Teams are disabled',
    hint: 'An administrator can change the team, or enable teams in the settings of the workspace.',
  },
  token_not_found: {
    status: 404,
    title: 'No such token',
    hint: 'GET /api/tokens lists the tokens and their ids.',
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
  invalid_reset_token: {
    status: 400,
    title: 'Reset link not valid',
    hint: 'The link is used, expired or wrong: ask for another one.',
  },
  sso_not_configured: {
    status: 404,
    title: 'Identity provider not set up',
    hint: 'An administrator can set it up and enable it.',
  },
  sso_needs_public_address: {
    status: 409,
    title: 'Public address not known',
    hint: 'Start the server with MSK_PUBLIC_ADDRESS: an identity provider must know where to lead back to.',
  },
  sso_state_invalid: {
    status: 400,
    title: 'Sign-in not under way',
    hint: 'Begin the sign-in again, and finish it in the same browser within 10 minutes.',
  },
  sso_failed: {
    status: 401,
    title: 'Sign-in at the identity provider failed',
    hint: 'Begin the sign-in again; if it keeps failing, show details.reason to an administrator.',
  },
  sso_domain_not_allowed: {
    status: 403,
    title: 'Mail domain not allowed',
    hint: 'Sign in with an address of your organisation.',
  },
  sso_user_not_allowed: {
    status: 403,
    title: 'User not allowed',
    hint: 'Ask an administrator to create, activate or link your account; details.reason says which.',
  },
  invalid_client: {
    status: 401,
    title: 'Client not known',
    hint: 'Register the client again; a registration without a grant ends after 30 days.',
  },
  invalid_redirect_uri: {
    status: 400,
    title: 'Redirect address not allowed',
    hint: 'Register https addresses, addresses of the own machine, or those of an app; ask for one of them.',
  },
  invalid_grant: {
    status: 400,
    title: 'Code or refresh token not valid',
    hint: 'Ask the user again. Codes are good once, for a minute; each refresh token is good once.',
  },
  invalid_target: {
    status: 400,
    title: 'Another resource',
    hint: 'Ask for the resource that /.well-known/oauth-protected-resource names.',
  },
  unsupported_grant_type: {
    status: 400,
    title: 'Grant type not supported',
    hint: 'Use authorization_code or refresh_token.',
  },
  oauth_registration_off: {
    status: 403,
    title: 'Registration is off',
    hint: 'An administrator can start the server with MSK_OAUTH_REGISTRATION=true, or make a token of kind mcp.',
  },
  oauth_client_not_found: {
    status: 404,
    title: 'No such client',
    hint: 'GET /api/oauth/clients lists the clients and their ids.',
  },
  oauth_request_invalid: {
    status: 400,
    title: 'Request not under way',
    hint: 'Begin again in the client; a request waits 10 minutes.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    hint: 'Wait for the seconds in the Retry-After header.',
    retryAfterSeconds: 60,
  },
} as const satisfies ErrorGroup;
