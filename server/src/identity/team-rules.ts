import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { isWritingAdmin } from './user-rules.ts';

interface TeamSettings {
  readonly teamsEnabled: boolean;
}

/** Administrators, and others with the role CanManageTeams. */
export function checkMayCreateTeam(caller: Caller, settings: TeamSettings): void {
  if (isWritingAdmin(caller)) return;
  checkTeamsAreEnabled(caller, settings);
  if (!caller.isReadOnlyAdmin && caller.roles.includes('CanManageTeams')) return;
  throw forbidden('Creating a team');
}

/** The same, and who administers this team. */
export function checkMayChangeTeam(
  caller: Caller,
  isTeamAdministrator: boolean,
  settings: TeamSettings,
): void {
  if (isWritingAdmin(caller)) return;
  checkTeamsAreEnabled(caller, settings);
  if (caller.isReadOnlyAdmin) throw forbidden('Changing a team');
  if (isTeamAdministrator || caller.roles.includes('CanManageTeams')) return;
  throw forbidden('Changing this team');
}

/** Where they are not, administrators alone change them, and others are told so (specification, section 4.7, rule 1). */
export function checkTeamsAreEnabled(caller: Caller, { teamsEnabled }: TeamSettings): void {
  if (teamsEnabled || isWritingAdmin(caller)) return;
  throw new Problem('teams_disabled', 'Teams are disabled in this workspace.', {
    details: { role: 'admin-write' },
  });
}

function forbidden(what: string): Problem {
  return new Problem('forbidden', `${what} needs an administrator or the role CanManageTeams.`, {
    details: { role: 'CanManageTeams' },
  });
}
