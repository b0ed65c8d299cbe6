import type { Caller } from '#access/caller.ts';

/** Who fills a test workspace and looks into it. */
export const ADMINISTRATOR: Caller = {
  kind: 'session',
  userUid: null,
  userName: null,
  isAdmin: true,
  isReadOnlyAdmin: false,
  isGuest: false,
  roles: [],
  scopes: [],
  endpointPath: null,
  tokenId: 'test',
};
