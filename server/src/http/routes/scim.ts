import { operations } from '@trellis/contract/operations/scim.ts';
import { answer, routesOf } from '../route.ts';

/** The version and, after 201, the address of a resource, which its `meta` has too. */
function versioned(resource: { readonly meta: { readonly version?: string | undefined } }): {
  readonly etag: string;
} {
  return { etag: resource.meta.version ?? '' };
}

const targetOf = (params: { readonly id: string }, headers: IfMatch) => ({
  id: params.id,
  ifMatch: headers['if-match'],
});

interface IfMatch {
  readonly 'if-match'?: string | undefined;
}

export const scimRoutes = routesOf(operations, {
  getScimServiceProviderConfig: (_input, { scim }) => answer(200, scim.serviceProviderConfig()),
  listScimResourceTypes: (_input, { scim }) => answer(200, scim.resourceTypes()),
  getScimResourceType: ({ params }, { scim }) => answer(200, scim.resourceType(params.id)),
  listScimSchemas: (_input, { scim }) => answer(200, scim.schemas()),
  getScimSchema: ({ params }, { scim }) => answer(200, scim.schema(params.id)),

  listScimUsers: async ({ caller, query }, { scim }) =>
    answer(200, await scim.users.list(caller, query)),
  createScimUser: async ({ caller, body, address }, { scim }) => {
    const user = await scim.users.create(caller, body, address);
    return answer(201, user, { ...versioned(user), location: user.meta.location });
  },
  getScimUser: ({ params, query }, { scim }) => {
    const user = scim.users.get(params.id, query);
    return answer(200, user, versioned(user));
  },
  replaceScimUser: async ({ caller, params, headers, body, address }, { scim }) => {
    const user = await scim.users.replace(caller, targetOf(params, headers), body, address);
    return answer(200, user, versioned(user));
  },
  patchScimUser: async ({ caller, params, headers, body, address }, { scim }) => {
    const user = await scim.users.patch(caller, targetOf(params, headers), body, address);
    return answer(200, user, versioned(user));
  },
  deleteScimUser: async ({ caller, params, headers, address }, { scim }) => {
    await scim.users.delete(caller, targetOf(params, headers), address);
    return answer(204);
  },

  listScimGroups: async ({ caller, query }, { scim }) =>
    answer(200, await scim.groups.list(caller, query)),
  createScimGroup: async ({ caller, body, address }, { scim }) => {
    const team = await scim.groups.create(caller, body, address);
    return answer(201, team, { ...versioned(team), location: team.meta.location });
  },
  getScimGroup: ({ params, query }, { scim }) => {
    const team = scim.groups.get(params.id, query);
    return answer(200, team, versioned(team));
  },
  replaceScimGroup: async ({ caller, params, headers, body, address }, { scim }) => {
    const team = await scim.groups.replace(caller, targetOf(params, headers), body, address);
    return answer(200, team, versioned(team));
  },
  patchScimGroup: async ({ caller, params, headers, body, address }, { scim }) => {
    const team = await scim.groups.patch(caller, targetOf(params, headers), body, address);
    return answer(200, team, versioned(team));
  },
  deleteScimGroup: async ({ caller, params, headers, address }, { scim }) => {
    await scim.groups.delete(caller, targetOf(params, headers), address);
    return answer(204);
  },
});
