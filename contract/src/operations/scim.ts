import { type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import {
  SCIM_MEDIA_TYPE,
  scimAttributesQuery,
  scimBody,
  scimGroup,
  scimGroupInput,
  scimInPath,
  scimGroupList,
  scimResourceTypeList,
  scimSchemaList,
  scimUserList,
  scimListQuery,
  scimPatchInput,
  scimPrecondition,
  scimResourceType,
  scimSchema,
  scimServiceProviderConfig,
  scimUrnInPath,
  scimUser,
  scimUserInput,
} from '../shapes/scim.ts';

const contentType = SCIM_MEDIA_TYPE;
// Generators take the first.
const consumes = ['application/json', SCIM_MEDIA_TYPE] as const;
/** A team with as many members as one request may name has a long list of them. */
const BODY_BYTES_MAX = 2 * 1024 * 1024;

const row = { area: 'scim', auth: 'token', scope: 'admin:scim' } as const;
const reads = { ...row, method: 'GET', onReplica: 'serve' } as const;
const writes = { ...row, onReplica: 'redirect' } as const;
const sent = { ...writes, body: scimBody, bodyBytesMax: BODY_BYTES_MAX, consumes } as const;
const changes = { ...sent, params: scimInPath, headers: scimPrecondition } as const;

const INVALID = ['scim_invalid_request'] as const;
const MISSING = ['scim_resource_not_found'] as const;
const CHANGE_ERRORS = [
  'scim_invalid_request',
  'scim_not_managed',
  'scim_resource_not_found',
  'scim_version_mismatch',
  ...STORE_ERRORS,
] as const;
const USER_ERRORS = [...CHANGE_ERRORS, 'user_exists', 'last_administrator'] as const;
const TEAM_ERRORS = [...CHANGE_ERRORS, 'team_exists'] as const;

const user = { description: 'The user.', body: scimUser, contentType, headers: ['ETag'] } as const;
const team = { description: 'The team.', body: scimGroup, contentType, headers: ['ETag'] } as const;
const made = { headers: ['ETag', 'Location'] } as const;

export const operations = withIds({
  getScimServiceProviderConfig: {
    ...reads,
    path: '/api/scim/v2/ServiceProviderConfig',
    responses: {
      200: {
        description: 'What this server can do of SCIM.',
        body: scimServiceProviderConfig,
        contentType,
      },
    },
    errors: [],
    summary: 'Say what this server can do of SCIM.',
  },

  listScimResourceTypes: {
    ...reads,
    path: '/api/scim/v2/ResourceTypes',
    responses: {
      200: { description: 'User and Group.', body: scimResourceTypeList, contentType },
    },
    errors: [],
    summary: 'List the types of resources of SCIM.',
  },

  getScimResourceType: {
    ...reads,
    path: '/api/scim/v2/ResourceTypes/{id}',
    params: scimUrnInPath,
    responses: { 200: { description: 'The type.', body: scimResourceType, contentType } },
    errors: MISSING,
    summary: 'Read a type of resources of SCIM.',
  },

  listScimSchemas: {
    ...reads,
    path: '/api/scim/v2/Schemas',
    responses: {
      200: { description: 'The attributes.', body: scimSchemaList, contentType },
    },
    errors: [],
    summary: 'List the schemas of SCIM: the attributes that are kept here.',
  },

  getScimSchema: {
    ...reads,
    path: '/api/scim/v2/Schemas/{id}',
    params: scimUrnInPath,
    responses: { 200: { description: 'The schema.', body: scimSchema, contentType } },
    errors: MISSING,
    summary: 'Read a schema of SCIM by its URN.',
  },

  listScimUsers: {
    ...reads,
    path: '/api/scim/v2/Users',
    query: scimListQuery,
    responses: {
      200: { description: 'A page of users.', body: scimUserList, contentType },
    },
    errors: INVALID,
    summary: 'List users for SCIM, oldest first, or those that a filter finds.',
  },

  createScimUser: {
    ...sent,
    method: 'POST',
    path: '/api/scim/v2/Users',
    documentedBody: scimUserInput,
    responses: { 201: { ...user, ...made } },
    errors: [...INVALID, 'user_exists', ...STORE_ERRORS],
    summary: 'Create a user by SCIM.',
  },

  getScimUser: {
    ...reads,
    path: '/api/scim/v2/Users/{id}',
    params: scimInPath,
    query: scimAttributesQuery,
    responses: { 200: user },
    errors: MISSING,
    summary: 'Read a user for SCIM.',
  },

  replaceScimUser: {
    ...changes,
    method: 'PUT',
    path: '/api/scim/v2/Users/{id}',
    documentedBody: scimUserInput,
    responses: { 200: user },
    errors: USER_ERRORS,
    summary: 'Change a user by SCIM; attributes that are left out stay as they are.',
  },

  patchScimUser: {
    ...changes,
    method: 'PATCH',
    path: '/api/scim/v2/Users/{id}',
    documentedBody: scimPatchInput,
    responses: { 200: user },
    errors: USER_ERRORS,
    summary: 'Change some attributes of a user by SCIM; with active false the user is signed out.',
  },

  deleteScimUser: {
    ...writes,
    method: 'DELETE',
    path: '/api/scim/v2/Users/{id}',
    params: scimInPath,
    headers: scimPrecondition,
    responses: { 204: { description: 'The user is deactivated, and gone for SCIM.' } },
    errors: USER_ERRORS,
    summary: 'Deactivate a user by SCIM, take them out of its teams, and forget them there.',
  },

  listScimGroups: {
    ...reads,
    path: '/api/scim/v2/Groups',
    query: scimListQuery,
    responses: {
      200: { description: 'A page of teams.', body: scimGroupList, contentType },
    },
    errors: INVALID,
    summary: 'List teams for SCIM, oldest first, or those that a filter finds.',
  },

  createScimGroup: {
    ...sent,
    method: 'POST',
    path: '/api/scim/v2/Groups',
    documentedBody: scimGroupInput,
    responses: { 201: { ...team, ...made } },
    errors: [...INVALID, 'team_exists', ...STORE_ERRORS],
    summary: 'Create a team by SCIM.',
  },

  getScimGroup: {
    ...reads,
    path: '/api/scim/v2/Groups/{id}',
    params: scimInPath,
    query: scimAttributesQuery,
    responses: { 200: team },
    errors: MISSING,
    summary: 'Read a team for SCIM.',
  },

  replaceScimGroup: {
    ...changes,
    method: 'PUT',
    path: '/api/scim/v2/Groups/{id}',
    documentedBody: scimGroupInput,
    responses: { 200: team },
    errors: TEAM_ERRORS,
    summary: 'Change the name and the members of a team by SCIM.',
  },

  patchScimGroup: {
    ...changes,
    method: 'PATCH',
    path: '/api/scim/v2/Groups/{id}',
    documentedBody: scimPatchInput,
    responses: { 200: team },
    errors: TEAM_ERRORS,
    summary: 'Add members to a team by SCIM, remove them, or change its name.',
  },

  deleteScimGroup: {
    ...writes,
    method: 'DELETE',
    path: '/api/scim/v2/Groups/{id}',
    params: scimInPath,
    headers: scimPrecondition,
    responses: { 204: { description: 'Deleted.' } },
    errors: [
      'scim_not_managed',
      'scim_resource_not_found',
      'scim_version_mismatch',
      'team_in_use',
      ...STORE_ERRORS,
    ],
    summary: 'Delete a team by SCIM that no node is restricted to.',
  },
} as const satisfies Rows);
