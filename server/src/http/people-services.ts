import type { Caller } from '#access/caller.ts';
import type { PrincipalNames, Principals } from '@trellis/contract/shapes/access.ts';
import type { AuditQuery, AuditRecord } from '@trellis/contract/shapes/audit.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type {
  MemberChange,
  NewTeam,
  TeamChange,
  TeamMembers,
  TeamNode,
} from '@trellis/contract/shapes/team.ts';
import type { NewUser, UserChange, UserNode } from '@trellis/contract/shapes/user.ts';
import type {
  WorkspaceSettingsChange,
  WorkspaceSettingsDocument,
} from '@trellis/contract/shapes/workspace.ts';
import type { Awaitable } from './answer.ts';

type SearchPage = Page & { readonly query?: string | undefined };

/** `address` is that of the client, for the audit. A caller who may not do something meets `forbidden`. */
export interface UserService {
  list(caller: Caller, page: SearchPage): Awaitable<List<UserNode>>;
  /** Throws `user_exists`, `weak_password`. */
  create(caller: Caller, user: NewUser, address: string): Promise<UserNode>;
  /** This and the next two throw `user_not_found`. */
  get(caller: Caller, uid: string): Awaitable<UserNode>;
  /** Throws `user_exists`, `last_administrator`. */
  update(caller: Caller, uid: string, change: UserChange, address: string): Promise<UserNode>;
  /** Throws `last_administrator`. */
  deactivate(caller: Caller, uid: string, address: string): Promise<void>;
}

export interface PasswordResetService {
  /** Returns at once, before anything is looked up: the answer tells nothing, nor does its time. */
  request(email: string, address: string): void;
  /** Throws `invalid_reset_token`, `weak_password`. */
  complete(
    reset: { readonly token: string; readonly newPassword: string },
    address: string,
  ): Promise<void>;
  /** Throws `user_not_found`. */
  createLink(
    caller: Caller,
    uid: string,
    address: string,
  ): Promise<{ readonly link: string; readonly expiresAt: string }>;
}

/** All but `create` throw `team_not_found`; what changes a team, `teams_disabled`. */
export interface TeamService {
  list(caller: Caller, page: SearchPage): Awaitable<List<TeamNode>>;
  /** Throws `team_exists`, as does `update`. */
  create(caller: Caller, team: NewTeam, address: string): Promise<TeamNode>;
  get(caller: Caller, uid: string): Awaitable<TeamNode>;
  update(caller: Caller, uid: string, change: TeamChange, address: string): Promise<TeamNode>;
  /** Throws `team_in_use`. */
  delete(caller: Caller, uid: string, address: string): Promise<void>;
  /** Throws `team_cycle`. */
  setUsers(
    caller: Caller,
    uid: string,
    change: MemberChange,
    address: string,
  ): Promise<TeamMembers>;
  listUsers(
    caller: Caller,
    uid: string,
    page: Page & { readonly nested: boolean },
  ): Awaitable<List<UserNode>>;
}

export interface PrincipalService {
  /** Of users who are not active too. */
  resolve(caller: Caller, names: PrincipalNames): Awaitable<Principals>;
}

export interface AuditService {
  list(caller: Caller, query: AuditQuery): Awaitable<List<AuditRecord>>;
}

export interface WorkspaceSettingsService {
  get(caller: Caller): Awaitable<WorkspaceSettingsDocument>;
  put(
    caller: Caller,
    change: WorkspaceSettingsChange,
    address: string,
  ): Promise<WorkspaceSettingsDocument>;
}
