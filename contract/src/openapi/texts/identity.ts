import { operations as login } from '../../operations/login.ts';
import { operations as access } from '../../operations/access.ts';
import { operations as sso } from '../../operations/sso.ts';
import { operations as teams } from '../../operations/teams.ts';
import { operations as tokens } from '../../operations/tokens.ts';
import { operations as users } from '../../operations/users.ts';
import * as accessShapes from '../../shapes/access.ts';
import { auditEvent, auditQuery } from '../../shapes/audit.ts';
import * as ssoShapes from '../../shapes/sso.ts';
import * as teamShapes from '../../shapes/team.ts';
import * as tokenShapes from '../../shapes/token.ts';
import * as userShapes from '../../shapes/user.ts';
import { texts } from './property-texts.ts';

/** Who signs in, who somebody is, and what they may see. */
export const identityTexts = [
  ...texts(login.createLogin.body, {
    user: 'User name or e-mail address.',
    password: 'The password; after wrong ones the next tries have to wait longer and longer.',
  }),
  ...texts(ssoShapes.issuedSession, {
    token: 'The session: send it as `Authorization: Bearer <token>`.',
    expiresAt: 'When the session ends at the latest (ISO 8601, UTC).',
  }),
  ...texts(login.createLogin.responses[200].body, {
    token: 'The session: send it as `Authorization: Bearer <token>`.',
    expiresAt: 'When the session ends at the latest (ISO 8601, UTC).',
  }),
  ...texts(login.checkLogin.responses[200].body, {
    user: ['The user whom the session belongs to.', {}],
  }),
  ...texts(login.changePassword.body, {
    oldPassword: 'The password that holds now.',
    newPassword: 'The password to set; `weak_password` says what it lacks.',
  }),
  ...texts(login.resetPassword.body, {
    email: 'Address of the user who gets the link by mail.',
  }),
  ...texts(login.completePasswordReset.body, {
    token: 'Token from the link that was mailed or handed out; it works once.',
    newPassword: 'The password to set; `weak_password` says what it lacks.',
  }),
  ...texts(users.getUser.params, { uid: 'UID of the user.' }),
  ...texts(userShapes.searchQuery, {
    query: 'Part of a name, for users also of an address, in any case; without it all are listed.',
  }),
  ...texts(userShapes.newUser, {
    userName: 'Name to sign in with; no other user may have it.',
    email: 'E-mail address; no other user may have it.',
    firstName: 'Given name, as people read it.',
    lastName: 'Family name, as people read it.',
    password:
      'Password to sign in with. Without one the user signs in at an identity provider, or with a reset link.',
    roles: 'Roles: rights that a user has without being an administrator; by default none.',
    isAdmin: 'Whether the user is a system administrator; by default not.',
    isReadOnlyAdmin:
      'Whether the user is an administrator who reads everything and changes nothing.',
    isGuest: 'Whether the user is a guest, who sees only teams of their own, and has no assistant.',
  }),
  ...texts(userShapes.userChange, {
    firstName: 'Given name, as people read it.',
    lastName: 'Family name, as people read it.',
    email: 'E-mail address; no other user may have it.',
    preferences: 'Preferences of the user interface: any JSON object. It replaces the former one.',
    roles: 'All roles that the user has from now on.',
    isAdmin: 'Whether the user is a system administrator.',
    isReadOnlyAdmin:
      'Whether the user is an administrator who reads everything and changes nothing.',
    isGuest: 'Whether the user is a guest.',
    active: 'Whether the user may sign in; false ends all sessions of the user.',
    source:
      'Who keeps the user: `scim` hands the user over to an identity provider, null takes them back. Only administrators change it.',
  }),
  ...texts(userShapes.userNode, {
    UID: 'UID of the user.',
    Type: 'Type of the node: always `_User`.',
    Timestamp: 'When the user was created (ISO 8601, UTC).',
    UserName: 'Name to sign in with.',
    FirstName: 'Given name, as people read it.',
    LastName: 'Family name, as people read it.',
    FullName: 'Given name and family name, as people read them.',
    Email: 'E-mail address of the user.',
  }),
  ...texts(users.createPasswordResetLink.responses[201].body, {
    link: 'Address of the page on which the user sets a new password; it works once.',
    expiresAt: 'When the link stops working (ISO 8601, UTC).',
  }),
  ...texts(teams.getTeam.params, { groupUID: 'UID of the team.' }),
  ...texts(teams.listTeamUsers.query, {
    nested: 'Whether users of the teams in the team are listed too; by default not.',
  }),
  ...texts(teamShapes.newTeam, {
    name: 'Name of the team; no other team may have it.',
    description: 'What the team is for, in free text.',
  }),
  ...texts(teamShapes.teamChange, {
    source:
      'Who keeps the team: `scim` hands the team over to an identity provider, null takes it back. Only administrators change it.',
  }),
  ...texts(teamShapes.memberChange, {
    add: 'UIDs of the users and teams to add. The members of a team are then members too.',
    remove: 'UIDs of the users and teams to remove.',
    admins: 'UIDs of all users who administer the team from now on.',
  }),
  ...texts(teamShapes.teamMembers, {
    users: 'UIDs of the users who are directly in the team.',
    teams: 'UIDs of the teams that are directly in the team.',
    admins: 'UIDs of the users who administer the team.',
  }),
  ...texts(teamShapes.teamNode, {
    UID: 'UID of the team.',
    Type: 'Type of the node: always `_AccessGroup`.',
    Timestamp: 'When the team was created (ISO 8601, UTC).',
    Name: 'Name of the team.',
    Description: 'What the team is for.',
  }),
  ...texts(tokens.getToken.params, { id: 'Id of the token; not its value.' }),
  ...texts(tokens.listTokens.query, {
    kind: 'Lists only tokens of this kind.',
    revoked: 'True lists only revoked tokens, false only the others; by default all.',
  }),
  ...texts(tokenShapes.newToken, {
    kind: 'What the token is for; the kind decides which operations take it.',
    name: 'Name for people, such as the program that uses the token.',
    scopes:
      'What the token may do. For the kinds `api`, `connector` and `automation`, which need at least one.',
    path: 'Name of an endpoint, or a prefix of names that ends in "/", or empty for every endpoint. For the kind `endpoint`.',
    actingUser:
      'UID of the user whom the token acts as. For the kinds `endpoint`, `llm-openai`, `llm-anthropic` and `mcp`.',
    expiresAt: 'When the token stops working (ISO 8601); by default never.',
  }),
  ...texts(tokenShapes.tokenRecord, {
    id: 'Id of the token; not its value.',
    kind: 'What the token is for.',
    name: 'Name for people.',
    scopes: 'What the token may do; empty for a kind that carries no scopes.',
    path: 'Endpoints that an endpoint token may run: a name, a prefix, or empty for all; null for other kinds.',
    actingUser: 'UID of the user whom the token acts as; null if it acts as nobody.',
    client:
      'Name of the MCP client to which the user granted the token; null for a token that was created.',
    createdBy: 'UID of the administrator who created the token, or of the user who granted it.',
    expiresAt: 'When the token stops working (ISO 8601, UTC); null for never.',
    lastUsedAt:
      'When the token was used last (ISO 8601, UTC); null if never. A crash may lose the last minute.',
    revoked: 'Whether the token was revoked, for good.',
  }),
  ...texts(tokenShapes.createdToken, {
    kind: 'What the token is for.',
    token: 'The value to send as `Authorization: Bearer <token>`. It is never shown again.',
  }),
  ...texts(auditQuery, {
    action: 'A whole action, such as `user.created`, or the area before its dot.',
    user: 'UID or name of who did it, or tried to.',
    target: 'UID, id or name of what it was done to.',
    outcome: 'Lists only what succeeded, or only what failed.',
    from: 'Lists only events at or after this time (ISO 8601).',
    to: 'Lists only events before this time (ISO 8601).',
  }),
  ...texts(auditEvent, {
    uid: 'UID of the event.',
    at: 'When it was done (ISO 8601, UTC).',
    action: 'What was done: an area and a verb, such as `user.created`.',
    actor: 'Who did it; null if nobody was signed in.',
    target: [
      'What it was done to; null if to nothing in particular.',
      {
        kind: 'What kind of thing the target is, such as `user` or `token`.',
        id: 'UID or id of the target.',
        name: 'Name of the target at that time; null if it has none.',
      },
    ],
    outcome: '`success` or `failure`.',
    address: 'Network address that the request came from; null if it came from the server itself.',
    details: 'What else is known of the event; depends on the action. Never a secret.',
  }),
  ...texts(access.getNodeAccess.params, { uid: 'UID of the node.' }),
  ...texts(access.explainAccess.query, {
    user: 'UID or name of the user.',
    node: 'UID of the node.',
  }),
  ...texts(accessShapes.typeAccess, {
    types: [
      'Rules by the name of the type. A type that is left out has none: everyone sees its nodes.',
      {
        visibleTo:
          'Who sees nodes of the type that are restricted to nobody: `everyone` (the default), or with `restricted` their owners and administrators alone.',
        writableBy: [
          'Who may write nodes of the type, beside administrators.',
          { teams: 'UIDs of teams.', users: 'UIDs of users.' },
        ],
        fields: [
          'Fields that not everyone may read, by name, with those who may, beside administrators.',
          { teams: 'UIDs of teams.', users: 'UIDs of users.' },
        ],
      },
    ],
  }),
  ...texts(accessShapes.nodeAccess, {
    teams: 'UIDs of the teams that the node is restricted to.',
    users: 'UIDs of the users whom the node is restricted to.',
    owners: 'UIDs of the users who own the node.',
  }),
  ...texts(accessShapes.nodeAccessChange, {
    teams: 'UIDs of all teams that the node is restricted to from now on; left out, they stay.',
    users: 'UIDs of all users whom the node is restricted to from now on; left out, they stay.',
  }),
  ...texts(accessShapes.principalNames, {
    users: 'User names or e-mail addresses to look up.',
    teams: 'Names of teams to look up.',
  }),
  ...texts(accessShapes.principals, {
    users: 'UIDs by the names that were asked for; null for a name of nobody, or of several.',
    teams: 'UIDs by the names that were asked for; null for a name of no team, or of several.',
  }),
  ...texts(accessShapes.accessExplanation, {
    user: ['The user who was asked about.', {}],
    node: [
      'The node that was asked about.',
      {
        uid: 'UID of the node.',
        type: 'Name of its type.',
        name: 'What people read as its name; empty if its type has no label.',
      },
    ],
    visible: 'Whether the user sees the node.',
    reasons: [
      'Every reason that counts for or against seeing it.',
      {
        kind: 'Which rule it is.',
        grants: 'Whether the rule lets the user do so, or keeps them from it.',
        message: 'The reason, in one sentence for people.',
        path: [
          'Teams from the one that the user is in to the one that is named, through nesting.',
          {
            uid: 'UID of the team.',
            name: 'Name of the team.',
            source: 'What keeps the team, such as `scim`; left out if people here do.',
          },
        ],
      },
    ],
    withheldFields: 'Fields of the node that the user may not read.',
    mayWrite: 'Whether the user may write the node.',
    writeReasons: [
      'Every reason that counts for or against writing it.',
      {
        kind: 'Which rule it is.',
        grants: 'Whether the rule lets the user do so, or keeps them from it.',
        message: 'The reason, in one sentence for people.',
        path: [
          'Teams from the one that the user is in to the one that is named, through nesting.',
          {
            uid: 'UID of the team.',
            name: 'Name of the team.',
            source: 'What keeps the team, such as `scim`; left out if people here do.',
          },
        ],
      },
    ],
  }),
  ...texts(sso.getSsoConfig.params, { provider: 'Which OpenID Connect provider.' }),
  ...texts(sso.getLoginUrl.query, {
    returnTo: 'Path of this workspace to show after the sign-in; by default the start page.',
  }),
  ...texts(sso.getLoginUrl.responses[200].body, {
    url: 'Address at the provider to send the browser to.',
  }),
  ...texts(sso.completeLogin.query, {
    state: 'The state that the provider was given when the sign-in began.',
  }),
  ...texts(ssoShapes.ssoConfig, {
    enabled: 'Whether people may sign in at this provider.',
    clientId: 'Id of this workspace at the provider; empty if none is given yet.',
    issuer:
      'Issuer identifier of the provider: https, or http on the loopback; empty if none is given yet.',
    scopes: 'Scopes to ask the provider for; `openid` is always asked for.',
    allowedDomains: 'Domains of the addresses that may sign in, in lower case; empty for any.',
    groupsClaim: "Name of the claim that lists the user's groups.",
    groupTeams: 'UIDs of teams of this workspace by the name of the group at the provider.',
    createUsers: 'Whether somebody unknown becomes a user at the first sign-in.',
    hasClientSecret: 'Whether a client secret is stored; the secret itself is never answered.',
    redirectUri:
      'Redirect URI to enter at the provider; null until the server knows its public address.',
  }),
  ...texts(ssoShapes.ssoConfigChange, {
    clientSecret: 'Client secret from the provider, never answered; null removes it.',
  }),
  ...texts(ssoShapes.samlConfig, {
    providers: [
      'Providers by their name.',
      {
        enabled: 'Whether people may sign in at this provider.',
        entryPoint: 'Address at which the provider takes requests: https, or http on the loopback.',
        idpIssuer: 'Entity id under which the provider signs.',
        idpCertificates:
          'Certificates of the provider in PEM; several while the provider changes its key.',
        attributes: [
          'Names of the SAML attributes that say who somebody is.',
          {
            email: 'Attribute with the e-mail address.',
            firstName: 'Attribute with the given name.',
            lastName: 'Attribute with the family name.',
            groups: 'Attribute with the names of groups.',
          },
        ],
        createUsers: 'Whether somebody unknown becomes a user at the first sign-in.',
      },
    ],
    entityId:
      'Entity id of this workspace, to enter at the provider; null until the server knows its public address.',
    acsUrl:
      'Address that takes the answers of the provider; null until the server knows its public address.',
  }),
  ...texts(ssoShapes.samlConfigChange, {
    providers: [
      'Providers by their name. What is left out stays as it is; null removes the provider.',
      { attributes: ['Names of the SAML attributes that say who somebody is.', {}] },
    ],
  }),
  ...texts(sso.createSamlRequest.params, {
    providerName: 'Name of the SAML provider in the settings.',
    issuer: 'Entity id of this workspace.',
    destination: "Path of this workspace to return to, or the provider's entry point.",
  }),
  ...texts(sso.createSamlRequest.responses[200].body, {
    url: 'Address at the provider to send the browser to, with the AuthnRequest.',
    id: 'Id of the AuthnRequest, which the answer of the provider names.',
  }),
  ...texts(sso.consumeSamlResponse.body, {
    SAMLResponse: 'The answer of the provider: XML in base64, signed.',
    RelayState: 'What the provider was given with the request.',
  }),
  ...texts(sso.listLoginProviders.responses[200].body, {
    items: [
      'The providers to offer for a sign-in.',
      {
        provider: 'Name of the provider in paths.',
        name: 'Name for people, such as on a button.',
        loginUrl: 'Path that begins a sign-in at it.',
      },
    ],
  }),
  ...texts(sso.exchangeLogin.body, {
    code: 'The `code` of the address that the sign-in led to; it works once, in the same browser.',
  }),
];
