import { LIST_TAKE_MAX } from '@trellis/contract/limits.ts';
import {
  SCIM_URNS,
  type ScimList,
  type ScimResourceType,
  type ScimSchema,
  type ScimServiceProviderConfig,
} from '@trellis/contract/shapes/scim.ts';
import { ScimGroups } from './scim-groups.ts';
import { notThere, SCIM_PATH, type ScimParts } from './scim-resource.ts';
import { ScimUsers } from './scim-users.ts';

/** What identity providers ask by SCIM 2.0 (RFC 7643, RFC 7644; open-shapes, section 12). */
export class ScimService {
  readonly users: ScimUsers;
  readonly groups: ScimGroups;
  readonly #publicUrl: () => string;

  constructor(parts: ScimParts) {
    this.users = new ScimUsers(parts);
    this.groups = new ScimGroups(parts);
    this.#publicUrl = parts.publicUrl;
  }

  serviceProviderConfig(): ScimServiceProviderConfig {
    return {
      schemas: [SCIM_URNS.serviceProviderConfig],
      documentationUri: `${this.#publicUrl()}/docs/scim`,
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: LIST_TAKE_MAX },
      changePassword: { supported: true },
      sort: { supported: false },
      etag: { supported: true },
      authenticationSchemes: [
        {
          type: 'oauthbearertoken',
          name: 'Bearer token',
          description: 'An API token with the scope admin:scim.',
        },
      ],
      meta: this.#meta('ServiceProviderConfig', 'ServiceProviderConfig'),
    };
  }

  resourceTypes(): ScimList<ScimResourceType> {
    return listOf([
      this.#resourceType('User', 'Users', SCIM_URNS.user),
      this.#resourceType('Group', 'Groups', SCIM_URNS.group),
    ]);
  }

  /** Throws `scim_resource_not_found`; so does `schema`. */
  resourceType(id: string): ScimResourceType {
    return found(this.resourceTypes(), id);
  }

  schemas(): ScimList<ScimSchema> {
    return listOf([
      this.#schema(SCIM_URNS.user, 'User', 'A user', USER_ATTRIBUTES),
      this.#schema(SCIM_URNS.group, 'Group', 'A team', GROUP_ATTRIBUTES),
    ]);
  }

  schema(urn: string): ScimSchema {
    return found(this.schemas(), urn);
  }

  #resourceType(id: string, endpoint: string, schema: string): ScimResourceType {
    return {
      schemas: [SCIM_URNS.resourceType],
      id,
      name: id,
      endpoint: `/${endpoint}`,
      description: id === 'User' ? 'Users' : 'Teams',
      schema,
      meta: this.#meta('ResourceType', `ResourceTypes/${id}`),
    };
  }

  #schema(
    id: string,
    name: string,
    description: string,
    attributes: readonly Attribute[],
  ): ScimSchema {
    return {
      schemas: [SCIM_URNS.schema],
      id,
      name,
      description,
      attributes: [...attributes],
      meta: this.#meta('Schema', `Schemas/${id}`),
    };
  }

  #meta(resourceType: string, path: string): { resourceType: string; location: string } {
    return { resourceType, location: `${this.#publicUrl()}${SCIM_PATH}/${path}` };
  }
}

function listOf<Item>(items: readonly Item[]): ScimList<Item> {
  return {
    schemas: [SCIM_URNS.list],
    totalResults: items.length,
    startIndex: 1,
    itemsPerPage: items.length,
    Resources: items,
  };
}

function found<Item extends { readonly id: string }>(list: ScimList<Item>, id: string): Item {
  const one = list.Resources.find((item) => item.id.toLowerCase() === id.toLowerCase());
  if (one === undefined) throw notThere();
  return one;
}

/** The characteristics of an attribute (RFC 7643, section 7). */
interface Attribute {
  readonly [more: string]: unknown;
  readonly name: string;
  readonly type: string;
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: string;
  readonly returned: string;
  readonly uniqueness: string;
  readonly subAttributes?: readonly Attribute[];
}

function of(name: string, description: string, more: Partial<Attribute> = {}): Attribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...more,
  };
}

const READ_ONLY = { mutability: 'readOnly' } as const;
const COMPLEX = { type: 'complex' } as const;
const LIST = { type: 'complex', multiValued: true } as const;
const EXTERNAL_ID = of('externalId', 'Id at the identity provider.', {
  caseExact: true,
  uniqueness: 'server',
});

const USER_ATTRIBUTES = [
  of('userName', 'Name to sign in with.', { required: true, uniqueness: 'server' }),
  EXTERNAL_ID,
  of('name', 'Parts of the name.', {
    ...COMPLEX,
    subAttributes: [
      of('formatted', 'The whole name.'),
      of('givenName', 'Given name.'),
      of('familyName', 'Family name.'),
    ],
  }),
  of('displayName', 'The whole name.'),
  of('emails', 'The primary address is kept, else the one at work, else the first.', {
    ...LIST,
    subAttributes: [
      of('value', 'The address.'),
      of('type', 'Always "work".'),
      of('primary', 'Whether it is the one that is kept.', { type: 'boolean' }),
    ],
  }),
  of('active', 'Whether the user may sign in.', { type: 'boolean' }),
  of('password', 'Password to sign in with.', { mutability: 'writeOnly', returned: 'never' }),
  of('groups', 'The teams that the user is directly in.', {
    ...LIST,
    ...READ_ONLY,
    subAttributes: [
      of('value', 'Id of the team.', READ_ONLY),
      of('display', 'Name of the team.', READ_ONLY),
      of('type', 'Always "direct".', READ_ONLY),
      of('$ref', 'Address of the team.', { ...READ_ONLY, type: 'reference' }),
    ],
  }),
];

const GROUP_ATTRIBUTES = [
  of('displayName', 'Name of the team.', { required: true, uniqueness: 'server' }),
  EXTERNAL_ID,
  of('members', 'Users, and teams whose members are members too.', {
    ...LIST,
    subAttributes: [
      of('value', 'Id of the user or the team.', { mutability: 'immutable' }),
      of('display', 'Name of the user or the team.', READ_ONLY),
      of('type', '"User" or "Group".', READ_ONLY),
      of('$ref', 'Address of it.', { ...READ_ONLY, type: 'reference' }),
    ],
  }),
];
