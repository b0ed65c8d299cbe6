import { expect, it } from 'vitest';
import { bodyMembers } from './testing/node-members.ts';

/**
 * Members of bodies whose names say that they name something by a UID, and that take no reference
 * to a node. Whoever adds one says why.
 */
const OTHERS: Readonly<Record<string, string>> = {
  'changeManyNodes change.access.teams': 'a team',
  'changeManyNodes change.access.users': 'a user',
  'changeManyNodes uids.uid': 'beside a version, in one object',
  'changeSchema changes.rename.to': 'a name',
  'createConnector source.rules.teams': 'names of teams',
  'createConnector source.rules.users': 'names of users',
  'createConnector source.team': 'a name of a column',
  'createConnector source.user': 'a name at the source',
  'testConnector source.rules.teams': 'names of teams',
  'testConnector source.rules.users': 'names of users',
  'testConnector source.team': 'a name of a column',
  'testConnector source.user': 'a name at the source',
  'updateConnector source.rules.teams': 'names of teams',
  'updateConnector source.rules.users': 'names of users',
  'updateConnector source.team': 'a name of a column',
  'updateConnector source.user': 'a name at the source',
  'createLogin user': 'a name',
  'createTask actingUser': 'a user',
  'createToken actingUser': 'a user',
  'createWebhook asUser': 'a user',
  'updateWebhook asUser': 'a user',
  'ingestion uid': 'beside type and key, in one object',
  'putGoldenAnswers questions.asUser': 'a user',
  'putGoldenAnswers questions.nuggets.uids': 'kept as it was written',
  'putGoldenSet queries.relevant': 'kept as it was written',
  'putGoldenSet queries.relevant.uid': 'kept as it was written',
  'putNodeAccess teams': 'a team',
  'putNodeAccess users': 'a user',
  'putTask actingUser': 'a user',
  'putTypeAccess types.*.fields.*.teams': 'a team',
  'putTypeAccess types.*.fields.*.users': 'a user',
  'putTypeAccess types.*.writableBy.teams': 'a team',
  'putTypeAccess types.*.writableBy.users': 'a user',
  'registerReplica replicaUID': 'a replica',
  'resolvePrincipals teams': 'a name',
  'resolvePrincipals users': 'a name',
  'sendChatMessage chatUID': 'a conversation',
  'sendChatMessage editUID': 'a message',
  'sendChatMessage regenerateUID': 'a message',
  'setTeamUsers add': 'a member of a team',
  'setTeamUsers admins': 'a user',
  'setTeamUsers remove': 'a member of a team',
  'startDeepResearch chatUID': 'a conversation',
};

const NAMES_SOMETHING =
  /(?:uids?|UIDs?|[uU]sers?|[tT]eams?|[nN]odes?|[mM]ember|relevant|^from|^to|keep|admins|add|remove)$/;

const members = bodyMembers();

it('names a node by a reference in every body, or says why not', () => {
  const others = members
    .filter(
      ({ at, isReference }) => !isReference && NAMES_SOMETHING.test(at.split('.').at(-1) ?? ''),
    )
    .map(({ id, at }) => `${id} ${at}`);
  expect([...new Set(others)].toSorted()).toEqual(Object.keys(OTHERS).toSorted());
});
