import type { AuditQuery, AuditRecord } from '@trellis/contract/shapes/audit.ts';
import type {
  AccessExplanation,
  NodeAccess,
  NodeAccessChange,
  PrincipalNames,
  Principals,
  TypeAccessDocument,
} from '@trellis/contract/shapes/access.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import type {
  MemberChange,
  NewTeam,
  TeamChange,
  TeamMembers,
  TeamNode,
} from '@trellis/contract/shapes/team.ts';
import type { CreatedToken, NewToken, TokenRecord } from '@trellis/contract/shapes/token.ts';
import type { NewUser, UserChange, UserNode } from '@trellis/contract/shapes/user.ts';
import type {
  WorkspaceSettingsChange,
  WorkspaceSettingsDocument,
} from '@trellis/contract/shapes/workspace.ts';
import type { TokenKind } from '@trellis/contract/token-kinds.ts';
import { LoginClient } from './login-client.ts';
import type { PageRequest } from './pages.ts';
import type { CallOptions } from './transport.ts';

export interface SearchRequest extends PageRequest {
  /** Part of a name, in any case. */
  readonly query?: string | undefined;
}

export interface TokenListRequest extends PageRequest {
  readonly kind?: TokenKind | undefined;
  /** Only those that are revoked, or only those that are not. */
  readonly revoked?: boolean | undefined;
}

/** Who may do what: users, teams, tokens, access, audit, and the settings of the workspace. */
export class PeopleClient extends LoginClient {
  /** One page, by name; `eachItem` gives them all. */
  listUsers(page: SearchRequest = {}, options?: CallOptions): Promise<List<UserNode>> {
    return this.get('/api/users', options, { ...page });
  }

  createUser(user: NewUser, options?: CallOptions): Promise<UserNode> {
    return this.post('/api/users', user, options);
  }

  /** The whole user: oneself, or anybody as an administrator. */
  getUser(uid: string, options?: CallOptions): Promise<UserNode> {
    return this.get(userPath(uid), options);
  }

  /** What is left out of the change stays as it is. */
  updateUser(uid: string, change: UserChange, options?: CallOptions): Promise<UserNode> {
    return this.put(userPath(uid), change, options);
  }

  /** The user is signed out, and cannot sign in any more. */
  deactivateUser(uid: string, options?: CallOptions): Promise<void> {
    return this.tell('POST', `${userPath(uid)}/deactivate`, undefined, options);
  }

  /** A link with which the user can set a new password, to be handed over by an administrator. */
  createPasswordResetLink(
    uid: string,
    options?: CallOptions,
  ): Promise<{ readonly link: string; readonly expiresAt: string }> {
    return this.post(`${userPath(uid)}/password-reset`, undefined, options);
  }

  listGroups(page: SearchRequest = {}, options?: CallOptions): Promise<List<TeamNode>> {
    return this.get('/api/groups', options, { ...page });
  }

  createGroup(team: NewTeam, options?: CallOptions): Promise<TeamNode> {
    return this.put('/api/groups/group', team, options);
  }

  getGroup(uid: string, options?: CallOptions): Promise<TeamNode> {
    return this.get(groupPath(uid), options);
  }

  updateGroup(uid: string, change: TeamChange, options?: CallOptions): Promise<TeamNode> {
    return this.put(groupPath(uid), change, options);
  }

  deleteGroup(uid: string, options?: CallOptions): Promise<void> {
    return this.tell('POST', `${groupPath(uid)}/delete`, undefined, options);
  }

  /** Answers who is directly in the team afterwards, and administers it. */
  setGroupUsers(uid: string, change: MemberChange, options?: CallOptions): Promise<TeamMembers> {
    return this.put(`${groupPath(uid)}/users`, change, options);
  }

  /** The users of a team; with `nested` those of the teams in it too. */
  listGroupUsers(
    uid: string,
    page: PageRequest & { readonly nested?: boolean | undefined } = {},
    options?: CallOptions,
  ): Promise<List<UserNode>> {
    const { nested, ...rest } = page;
    const query = { ...rest, nested: nested === undefined ? undefined : String(nested) };
    return this.get(`${groupPath(uid)}/users`, options, query);
  }

  /** Newest first; never their values. */
  listTokens(page: TokenListRequest = {}, options?: CallOptions): Promise<List<TokenRecord>> {
    const { revoked, ...rest } = page;
    const query = { ...rest, revoked: revoked === undefined ? undefined : String(revoked) };
    return this.get('/api/tokens', options, query);
  }

  /** The value, `token`, is shown this once. */
  createToken(token: NewToken, options?: CallOptions): Promise<CreatedToken> {
    return this.post('/api/tokens', token, options);
  }

  revokeToken(id: string, options?: CallOptions): Promise<void> {
    return this.tell('DELETE', `/api/tokens/${encodeURIComponent(id)}`, undefined, options);
  }

  /** Newest first. With a filter the total is a lower bound. */
  listAudit(query: Partial<AuditQuery> = {}, options?: CallOptions): Promise<List<AuditRecord>> {
    return this.get('/api/audit', options, { ...query });
  }

  getTypeAccess(options?: CallOptions): Promise<TypeAccessDocument> {
    return this.get('/api/access/types', options);
  }

  /** Replaces the rules of all types. */
  putTypeAccess(document: TypeAccessDocument, options?: CallOptions): Promise<TypeAccessDocument> {
    return this.put('/api/access/types', document, options);
  }

  /** Why a user, by UID or name, sees a node or does not. */
  explainAccess(user: string, node: string, options?: CallOptions): Promise<AccessExplanation> {
    return this.get('/api/access/explain', options, { user, node });
  }

  getNodeAccess(uid: string, options?: CallOptions): Promise<NodeAccess> {
    return this.get(`/api/access/nodes/${encodeURIComponent(uid)}`, options);
  }

  /** What is left out of the change stays as it is. */
  putNodeAccess(uid: string, change: NodeAccessChange, options?: CallOptions): Promise<NodeAccess> {
    return this.put(`/api/access/nodes/${encodeURIComponent(uid)}`, change, options);
  }

  /** The UIDs of users, by name or address, and of teams, by name; null where there is none, or more than one. */
  resolvePrincipals(names: PrincipalNames, options?: CallOptions): Promise<Principals> {
    return this.post('/api/access/principals', names, options);
  }

  getWorkspaceSettings(options?: CallOptions): Promise<WorkspaceSettingsDocument> {
    return this.get('/api/workspace/settings', options);
  }

  /** What is left out of the change stays as it is. */
  putWorkspaceSettings(
    change: WorkspaceSettingsChange,
    options?: CallOptions,
  ): Promise<WorkspaceSettingsDocument> {
    return this.put('/api/workspace/settings', change, options);
  }
}

function userPath(uid: string): string {
  return `/api/users/user/${encodeURIComponent(uid)}`;
}

function groupPath(uid: string): string {
  return `/api/groups/group/${encodeURIComponent(uid)}`;
}
