import { z } from 'zod';
import { uidText } from '../bounded-shapes.ts';
import type { Immutable } from '../immutable.ts';
import { SCIM_FILTER_CHARACTERS_MAX } from '../limits.ts';

/** Shapes of SCIM 2.0 (RFC 7643, RFC 7644). */
export const SCIM_MEDIA_TYPE = 'application/scim+json';

const SCHEMA_URN = 'urn:ietf:params:scim:schemas:core:2.0';
const MESSAGE_URN = 'urn:ietf:params:scim:api:messages:2.0';

export const SCIM_URNS = {
  user: `${SCHEMA_URN}:User`,
  group: `${SCHEMA_URN}:Group`,
  enterpriseUser: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  schema: `${SCHEMA_URN}:Schema`,
  resourceType: `${SCHEMA_URN}:ResourceType`,
  serviceProviderConfig: `${SCHEMA_URN}:ServiceProviderConfig`,
  list: `${MESSAGE_URN}:ListResponse`,
  patch: `${MESSAGE_URN}:PatchOp`,
  error: `${MESSAGE_URN}:Error`,
} as const;

/** What `details.scimType` of a problem may be (RFC 7644, section 3.12). */
export const SCIM_TYPES = [
  'invalidFilter',
  'tooMany',
  'uniqueness',
  'mutability',
  'invalidSyntax',
  'invalidPath',
  'noTarget',
  'invalidValue',
] as const;
export type ScimType = (typeof SCIM_TYPES)[number];

const urns = z.array(z.string().max(200)).max(20);

/** A body of any attributes: names are in any case, and more come than are kept here. */
export const scimBody = z.looseObject({ schemas: urns.optional() });

/** A whole number, which SCIM moves into its range instead of refusing it. */
const count = z
  .string()
  .max(16)
  .regex(/^[+-]?\d+$/, 'must be a whole number')
  .transform(Number);

const attributeNames = z.string().max(2_000);

export const scimAttributesQuery = z.object({
  attributes: attributeNames.optional(),
  excludedAttributes: attributeNames.optional(),
});

export const scimListQuery = scimAttributesQuery.extend({
  filter: z.string().max(SCIM_FILTER_CHARACTERS_MAX).optional(),
  startIndex: count.optional(),
  count: count.optional(),
});
export type ScimListQuery = Immutable<z.output<typeof scimListQuery>>;

export const scimInPath = z.object({ id: uidText.min(1) });
export const scimUrnInPath = z.object({ id: z.string().min(1).max(200) });
export const scimPrecondition = z.object({ 'if-match': z.string().max(1_000).optional() });

const meta = z.looseObject({
  resourceType: z.string(),
  location: z.string(),
  created: z.string().optional(),
  version: z.string().optional(),
});
const resource = z.looseObject({ schemas: z.array(z.string()), id: z.string(), meta });

const name = z.looseObject({
  formatted: z.string().optional(),
  givenName: z.string().optional(),
  familyName: z.string().optional(),
});
const email = z.looseObject({
  value: z.string(),
  type: z.string().optional(),
  primary: z.boolean().optional(),
});
/** With `$ref` as well, which generators would take for a reference of their own. */
const related = z.looseObject({
  value: z.string(),
  display: z.string().optional(),
  type: z.string().optional(),
});

/** With `attributes` or `excludedAttributes` there is less of it. */
export const scimUser = resource.extend({
  externalId: z.string().optional(),
  userName: z.string().optional(),
  name: name.optional(),
  displayName: z.string().optional(),
  emails: z.array(email).optional(),
  active: z.boolean().optional(),
  groups: z.array(related).optional(),
});

export const scimGroup = resource.extend({
  externalId: z.string().optional(),
  displayName: z.string().optional(),
  members: z.array(related).optional(),
});

/** The bodies as they are documented; what else comes is passed over. */
export const scimUserInput = z.looseObject({
  schemas: z.array(z.string()).optional(),
  userName: z.string(),
  externalId: z.string().optional(),
  name: name.optional(),
  displayName: z.string().optional(),
  emails: z.array(email).optional(),
  active: z.boolean().optional(),
  password: z.string().optional(),
});

export const scimGroupInput = z.looseObject({
  schemas: z.array(z.string()).optional(),
  displayName: z.string(),
  externalId: z.string().optional(),
  members: z.array(related).optional(),
});

export const scimPatchInput = z.looseObject({
  schemas: z.array(z.string()).optional(),
  Operations: z.array(
    z.looseObject({
      op: z.enum(['add', 'replace', 'remove']),
      path: z.string().optional(),
      value: z.unknown().optional(),
    }),
  ),
});

function listOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    schemas: z.array(z.string()),
    totalResults: z.int(),
    startIndex: z.int(),
    itemsPerPage: z.int(),
    Resources: z.array(item),
  });
}

export const scimUserList = listOf(scimUser);
export const scimGroupList = listOf(scimGroup);

const supported = z.looseObject({ supported: z.boolean() });

export const scimServiceProviderConfig = z.looseObject({
  schemas: z.array(z.string()),
  documentationUri: z.string(),
  patch: supported,
  bulk: supported.extend({ maxOperations: z.int(), maxPayloadSize: z.int() }),
  filter: supported.extend({ maxResults: z.int() }),
  changePassword: supported,
  sort: supported,
  etag: supported,
  authenticationSchemes: z.array(
    z.looseObject({ type: z.string(), name: z.string(), description: z.string() }),
  ),
  meta,
});

export const scimSchema = z.looseObject({
  schemas: z.array(z.string()),
  id: z.string(),
  name: z.string(),
  description: z.string(),
  attributes: z.array(z.looseObject({ name: z.string(), type: z.string() })),
  meta,
});

export const scimResourceType = z.looseObject({
  schemas: z.array(z.string()),
  id: z.string(),
  name: z.string(),
  endpoint: z.string(),
  description: z.string(),
  schema: z.string(),
  meta,
});

export const scimSchemaList = listOf(scimSchema);
export const scimResourceTypeList = listOf(scimResourceType);

export type ScimUser = Immutable<z.infer<typeof scimUser>>;
export type ScimGroup = Immutable<z.infer<typeof scimGroup>>;
export type ScimSchema = Immutable<z.infer<typeof scimSchema>>;
export type ScimResourceType = Immutable<z.infer<typeof scimResourceType>>;
export type ScimServiceProviderConfig = Immutable<z.infer<typeof scimServiceProviderConfig>>;
export interface ScimList<Item> {
  readonly schemas: readonly string[];
  readonly totalResults: number;
  readonly startIndex: number;
  readonly itemsPerPage: number;
  readonly Resources: readonly Item[];
}
