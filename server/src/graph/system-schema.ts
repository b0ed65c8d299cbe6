import type { SchemaDocument } from './schema.ts';

/**
 * The built-in types, written by the first commit of a workspace; a later version of the server
 * adds to them the same way. Their names begin with an underscore, or with `RestrictAccessTo` for
 * the edges that decide who may see a node (open-shapes, section 4, "Access rule"). Only the server
 * itself changes these types and their nodes.
 */
export const SYSTEM_SCHEMA: SchemaDocument = {
  nodes: [
    {
      type: '_User',
      label: 'FullName',
      fields: {
        UserName: 'String',
        FirstName: 'String',
        LastName: 'String',
        FullName: 'String',
        Email: 'String',
        IsAdmin: 'Bool',
        IsReadOnlyAdmin: 'Bool',
        IsGuest: 'Bool',
        Active: 'Bool',
        Confirmed: 'Bool',
        Roles: 'String[]',
        Preferences: 'Json',
      },
    },
    {
      type: '_AccessGroup',
      label: 'Name',
      fields: { Name: 'String', Description: 'String' },
    },
    {
      type: '_Setting',
      key: 'Name',
      label: 'Name',
      fields: { Value: 'Json' },
    },
    {
      type: '_AuditEvent',
      fields: {
        Action: 'String',
        ActorUid: 'UID',
        ActorName: 'String',
        TargetKind: 'String',
        TargetId: 'String',
        TargetName: 'String',
        Outcome: 'String',
        Address: 'String',
        Details: 'Json',
      },
    },
    {
      type: '_Endpoint',
      key: 'Name',
      label: 'Name',
      fields: {
        Code: 'String',
        IsReadOnly: 'Bool',
        Mode: 'String',
        Access: 'String',
        CacheSeconds: 'Int',
        MaxConcurrent: 'Int',
        MaxQueued: 'Int',
        RunAsAdmin: 'Bool',
        TimeoutMs: 'Int',
        Description: 'String',
        Version: 'Int',
        Compiles: 'Bool',
        Diagnostics: 'Json',
        ServingCode: 'String',
        ServingVersion: 'Int',
        UpdatedBy: 'UID',
      },
    },
    {
      type: '_CodeItem',
      key: 'Key',
      label: 'Name',
      fields: { Kind: 'String', Name: 'String', LastVersion: 'Int' },
    },
    {
      type: '_CodeVersion',
      key: 'Key',
      label: 'Name',
      fields: {
        Kind: 'String',
        Name: 'String',
        Version: 'Int',
        Action: 'String',
        By: 'UID',
        ByName: 'String',
        Code: 'String',
        Settings: 'Json',
        Diff: 'String',
      },
    },
    {
      type: '_Synonyms',
      key: 'Key',
      label: 'Token',
      fields: {
        Language: 'String',
        Token: 'String',
        Synonyms: 'String[]',
        Alternates: 'String[]',
        Blocked: 'String[]',
      },
    },
    {
      type: '_Embedding',
      key: 'Key',
      label: 'Key',
      fields: { Model: 'String', Vector: 'Bytes' },
    },
    {
      type: '_GoldenSet',
      key: 'Name',
      label: 'Name',
      fields: {
        Description: 'String',
        Request: 'Json',
        Queries: 'Json',
        Size: 'Int',
        Runs: 'Int',
      },
    },
    {
      type: '_GoldenSetRun',
      key: 'Key',
      label: 'Key',
      fields: { Sequence: 'Long', Size: 'Int', Metrics: 'Json', Results: 'Json' },
    },
  ],
  edges: [
    { type: '_MemberOf', inverse: '_HasMember' },
    { type: '_AdminOf' },
    { type: '_Owns', inverse: '_OwnedBy' },
    { type: 'RestrictAccessToTeam' },
    { type: 'RestrictAccessToUser' },
  ],
};
