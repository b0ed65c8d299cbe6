import { scimErrorBody } from '../../errors.ts';
import * as scim from '../../shapes/scim.ts';
import { texts } from './property-texts.ts';

const SELECTION = {
  attributes: 'Names of attributes, with commas between: only these come, and `id`.',
  excludedAttributes: 'Names of attributes that do not come, with commas between.',
} as const;
const NAME = {
  formatted: 'The whole name.',
  givenName: 'Given name, as people read it.',
  familyName: 'Family name, as people read it.',
} as const;
const EMAIL = {
  value: 'The e-mail address itself.',
  type: 'What the address is for.',
  primary: 'Whether it is the main address.',
} as const;
const RELATED = {
  value: 'Id of the user or the team.',
  display: 'Name of the user or the team.',
  type: 'What it is: `User`, `Group` or, for a team of a user, `direct`.',
} as const;
const META = {
  resourceType: 'Type of the resource.',
  location: 'Address of the resource.',
  created: 'When it was made (ISO 8601, UTC).',
  version: 'Version of the resource, as `ETag` has it too.',
} as const;
const SCHEMAS = 'URNs of the schemas that it follows.';
const USER = {
  schemas: SCHEMAS,
  userName: 'Name to sign in with; no other user may have it.',
  externalId: 'Id that the identity provider has for it.',
  name: ['Parts of the name.', NAME],
  displayName: 'The whole name.',
  emails: ['Addresses, of which the primary one is kept, else the one at work.', EMAIL],
  active: 'Whether the user may sign in; false ends sessions and tokens.',
} as const;
const GROUP = {
  schemas: SCHEMAS,
  displayName: 'Name of the team; no other team may have it.',
  externalId: 'Id that the identity provider has for it.',
  members: ['Users, and teams whose members are members too.', RELATED],
} as const;
const LIST = {
  schemas: SCHEMAS,
  totalResults: 'How many there are.',
  startIndex: 'Place of the first of these, from 1.',
  itemsPerPage: 'How many come.',
} as const;
const SUPPORTED = { supported: 'Whether it is there.' } as const;

/** What identity providers ask. */
export const scimTexts = [
  ...texts(scimErrorBody, {
    schemas: 'Always the URN of an error of SCIM.',
    status: 'Status of the answer, as a text.',
    scimType: 'Kind of fault (RFC 7644, section 3.12); left out where there is none.',
    detail: 'What went wrong, for people; the same as `message`.',
  }),
  ...texts(scim.scimBody, { schemas: SCHEMAS }),
  ...texts(scim.scimAttributesQuery, SELECTION),
  ...texts(scim.scimListQuery, {
    ...SELECTION,
    filter: 'For example `userName eq "ann"`: an expression of RFC 7644, section 3.4.2.2.',
    startIndex: 'Place of the first resource, from 1.',
    count: 'How many resources at most: 100 by default, never more than 1,000.',
  }),
  ...texts(scim.scimInPath, { id: 'UID of the user or the team.' }),
  ...texts(scim.scimUrnInPath, { id: 'Name of the type, or URN of the schema.' }),
  ...texts(scim.scimPrecondition, {
    'if-match': 'A version as `ETag` gave it: with another one nothing happens, and 412 comes.',
  }),
  ...texts(scim.scimUserInput, { ...USER, password: 'Password to sign in with.' }),
  ...texts(scim.scimGroupInput, GROUP),
  ...texts(scim.scimPatchInput, {
    schemas: SCHEMAS,
    Operations: [
      'What to change, one after the other.',
      {
        op: 'What to do; in any case.',
        path: 'Which attribute, for example `members[value eq "..."]`; none for the whole.',
        value: 'The value, or an object of attributes where there is no path.',
      },
    ],
  }),
  ...texts(scim.scimUser, {
    ...USER,
    id: 'UID of the user.',
    groups: ['The teams that the user is directly in.', RELATED],
    meta: ['About the resource.', META],
  }),
  ...texts(scim.scimGroup, {
    ...GROUP,
    id: 'UID of the team.',
    meta: ['About the resource.', META],
  }),
  ...texts(scim.scimUserList, { ...LIST, Resources: ['The users of this page.', {}] }),
  ...texts(scim.scimGroupList, { ...LIST, Resources: ['The teams of this page.', {}] }),
  ...texts(scim.scimSchemaList, { ...LIST, Resources: ['The schemas of this page.', {}] }),
  ...texts(scim.scimResourceTypeList, { ...LIST, Resources: ['The types of this page.', {}] }),
  ...texts(scim.scimServiceProviderConfig, {
    schemas: SCHEMAS,
    documentationUri: 'Where people read of it.',
    patch: ['Changes of single attributes.', SUPPORTED],
    bulk: [
      'Many requests in one.',
      {
        ...SUPPORTED,
        maxOperations: 'How many requests at most.',
        maxPayloadSize: 'How many bytes at most.',
      },
    ],
    filter: ['Filters of lists.', { ...SUPPORTED, maxResults: 'How many resources at most.' }],
    changePassword: ['Passwords of users.', SUPPORTED],
    sort: ['Lists in an order of choice.', SUPPORTED],
    etag: ['Versions of resources.', SUPPORTED],
    authenticationSchemes: [
      'How a client proves who it is.',
      {
        type: 'Kind of the scheme.',
        name: 'Name for people.',
        description: 'What it is, in a sentence.',
      },
    ],
    meta: ['About the resource.', META],
  }),
  ...texts(scim.scimSchema, {
    schemas: SCHEMAS,
    id: 'URN of the schema.',
    name: 'Name for people.',
    description: 'What it is, in a few words.',
    attributes: [
      'The attributes that are kept, as RFC 7643, section 7, describes them.',
      { name: 'Name of the attribute.', type: 'Type of its values.' },
    ],
    meta: ['About the resource.', META],
  }),
  ...texts(scim.scimResourceType, {
    schemas: SCHEMAS,
    id: 'Name of the type.',
    name: 'Name for people.',
    endpoint: 'Path of the resources.',
    description: 'What it is, in a few words.',
    schema: 'URN of their schema.',
    meta: ['About the resource.', META],
  }),
];
