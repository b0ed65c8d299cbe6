import type { Caller } from '../caller.ts';

/** A caller who may do everything, and is no node of the graph. */
export const ADMINISTRATOR: Caller = {
  kind: 'session',
  userUid: null,
  userName: 'admin',
  isAdmin: true,
  isReadOnlyAdmin: false,
  isGuest: false,
  roles: [],
  scopes: [],
  endpointPath: null,
  tokenId: 'test',
};
