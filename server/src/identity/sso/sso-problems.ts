import { Problem } from '#base/problem.ts';

/** 404: not set up, or not enabled. */
export function notConfigured(provider: string): Problem {
  return new Problem('sso_not_configured', `Sign-in with "${provider}" is not set up here.`, {
    details: { provider },
  });
}

/**
 * 400: not begun here, in another browser, too long ago, or finished already; it is not told which.
 */
export function stateInvalid(): Problem {
  return new Problem(
    'sso_state_invalid',
    'This sign-in was not begun in this browser, has expired, or was finished before.',
  );
}

/**
 * 401. `reason` is a stable word for an administrator, without anything that the provider or the
 * browser sent.
 */
export function signInFailed(provider: string, reason: string, cause?: unknown): Problem {
  return new Problem('sso_failed', `The sign-in with "${provider}" failed.`, {
    details: { provider, reason },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** 403: the provider knows who it is, and this workspace does not let them in. */
export function userNotAllowed(reason: UserRefusal): Problem {
  return new Problem('sso_user_not_allowed', REFUSALS[reason], { details: { reason } });
}

export type UserRefusal = keyof typeof REFUSALS;

const REFUSALS = {
  email_missing: 'The identity provider tells no usable mail address.',
  email_not_verified: 'The identity provider has not verified the mail address.',
  unknown_user: 'Nobody here has this mail address, and new users are not created at sign-in.',
  address_not_confirmed:
    'The user here with this mail address has not confirmed that it is theirs.',
  ambiguous_email: 'Several users here have this mail address.',
  linked_to_another: 'The user with this mail address signs in with another account there.',
  user_name_taken: 'Another user has this mail address as their user name.',
  deactivated: 'The user is deactivated.',
} as const;

export function domainNotAllowed(domain: string): Problem {
  return new Problem('sso_domain_not_allowed', `Addresses in "${domain}" may not sign in here.`, {
    details: { domain },
  });
}
