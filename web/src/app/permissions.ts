import { useViewer } from '../api/viewer.ts';
import { useConnectionState } from './live-connection.ts';

/**
 * Whether the viewer may change something here, and if not, why, for the hint beside the control.
 */
export interface ChangePermission {
  readonly isAllowed: boolean;
  readonly reason: string | undefined;
}

type Right = 'admin' | 'users' | 'teams' | 'synonyms';

/** For what administrators change, or those who hold a role. */
export function useChangePermission(right: Right = 'admin'): ChangePermission {
  const viewer = useViewer();
  const connection = useConnectionState();
  if (viewer === undefined) return { isAllowed: false, reason: undefined };
  const has = {
    admin: viewer.isAdmin,
    users: viewer.managesUsers,
    teams: viewer.managesTeams,
    synonyms: viewer.managesSynonyms,
  }[right];
  if (!has) {
    const reason = viewer.isReadOnlyAdmin
      ? 'You may look at this, but not change it: you are a read-only administrator.'
      : 'You may not change this: ask an administrator.';
    return { isAllowed: false, reason };
  }
  if (connection === 'away') {
    return { isAllowed: false, reason: 'The primary does not answer: nothing can be changed now.' };
  }
  return { isAllowed: true, reason: undefined };
}
