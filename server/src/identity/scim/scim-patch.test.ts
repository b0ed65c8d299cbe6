import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import type { Json } from './scim-json.ts';
import { applyPatch, parsePatch } from './scim-patch.ts';

function ann(): Json {
  return {
    id: 'u',
    userName: 'ann',
    name: { givenName: 'Ann', familyName: 'Lee' },
    emails: [{ value: 'a@work.example', type: 'work', primary: true }],
    active: true,
  };
}

function patched(...operations: object[]): Json {
  const user = ann();
  applyPatch(user, parsePatch({ Operations: operations }));
  return user;
}

it.each<[string, object, object]>([
  ['a text at a path', { op: 'Replace', path: 'userName', value: 'x' }, { userName: 'x' }],
  ['in any case', { OP: 'replace', Path: 'USERNAME', value: 'x' }, { userName: 'x' }],
  ['a flag as text', { op: 'Replace', path: 'active', value: 'False' }, { active: 'False' }],
  ['an object', { op: 'replace', value: { active: false, id: 'x' } }, { active: false, id: 'u' }],
  [
    'names with dots',
    { op: 'Add', value: { 'name.familyName': 'Day', displayName: 'A D' } },
    { name: { givenName: 'Ann', familyName: 'Day' }, displayName: 'A D' },
  ],
  [
    'names with a URN',
    {
      op: 'add',
      value: { 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department': 'D' },
    },
    { 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'D' } },
  ],
  [
    'a part of one value',
    { op: 'Replace', path: 'emails[type eq "work"].value', value: 'b@work.example' },
    { emails: [{ value: 'b@work.example', type: 'work', primary: true }] },
  ],
  [
    'a value that is not there yet',
    { op: 'Add', path: 'emails[type eq "home"].value', value: 'c@x.example' },
    {
      emails: [
        { value: 'a@work.example', type: 'work', primary: true },
        { type: 'home', value: 'c@x.example' },
      ],
    },
  ],
  ['a value by a filter', { op: 'remove', path: 'emails[type eq "work"]' }, { emails: [] }],
  [
    'values without a filter',
    { op: 'Remove', path: 'emails', value: [{ value: 'a@work.example' }] },
    { emails: [] },
  ],
  [
    'a value that is there',
    { op: 'add', path: 'emails', value: [{ value: 'a@work.example' }] },
    { emails: ann()['emails'] },
  ],
])('changes %s', (_, operation, expected) => {
  expect(patched(operation)).toMatchObject(expected);
});

it('takes an attribute away', () => {
  expect(patched({ op: 'remove', path: 'name.givenName' })['name']).toEqual({ familyName: 'Lee' });
  expect(patched({ op: 'remove', path: 'emails' })).not.toHaveProperty('emails');
});

it.each<[string, unknown, string]>([
  ['no operations', {}, 'invalidSyntax'],
  ['an empty list', { Operations: [] }, 'invalidSyntax'],
  ['no object', { Operations: [1] }, 'invalidSyntax'],
  ['another op', { Operations: [{ op: 'move', path: 'a' }] }, 'invalidSyntax'],
  ['nothing to remove', { Operations: [{ op: 'remove' }] }, 'noTarget'],
  ['no value', { Operations: [{ op: 'add', path: 'a' }] }, 'invalidValue'],
  ['no object for the whole', { Operations: [{ op: 'add', value: 'x' }] }, 'invalidValue'],
  ['an unreadable path', { Operations: [{ op: 'add', path: 'a[', value: 1 }] }, 'invalidPath'],
  ['a filter of a path', { Operations: [{ op: 'add', path: 'a[b]', value: 1 }] }, 'invalidFilter'],
  ['an id', { Operations: [{ op: 'add', path: 'id', value: 'x' }] }, 'mutability'],
  [
    'a filter that finds nothing',
    { Operations: [{ op: 'replace', path: 'emails[type ne "work"].value', value: 'x' }] },
    'noTarget',
  ],
  [
    'more operations than the limit',
    { Operations: Array.from({ length: 1_001 }, () => ({ op: 'add', value: {} })) },
    'tooMany',
  ],
  [
    'a list that grows',
    {
      Operations: [
        { op: 'add', path: 'emails', value: Array.from({ length: 101 }, (_, i) => ({ value: i })) },
      ],
    },
    'tooMany',
  ],
])('refuses %s', (_, body, scimType) => {
  expect(() => applyPatch(ann(), parsePatch(body as Json))).toThrow(
    expect.objectContaining({ code: 'scim_invalid_request', details: { scimType } }),
  );
});

it('compares no more than a little, whatever the filters', () => {
  const same = Array.from({ length: 60 }, () => 'a eq 1').join(' and ');
  const path = (i: number) => `emails[${same} and value eq "${i}"].type`;
  const operations = Array.from({ length: 1_000 }, (_, i) => ({
    op: 'replace',
    path: path(i % 90),
    value: 'work',
  }));
  expect(() => patched(...operations)).toThrow(
    expect.objectContaining({ details: { scimType: 'tooMany' } }),
  );
  expect(() => patched(...operations.slice(0, 50))).not.toThrow();
  const many = operations
    .slice(0, 101)
    .map((one, i) => ({ ...one, path: `emails[value eq "${i}"].a` }));
  expect(() => patched(...many)).toThrow(
    expect.objectContaining({ details: { scimType: 'tooMany' } }),
  );
});

it('never reaches a prototype', () => {
  patched(
    { op: 'add', path: 'constructor.prototype.polluted', value: 'x' },
    { op: 'add', path: 'toString.polluted', value: 'x' },
    { op: 'add', value: { constructor: { prototype: { polluted: 'x' } } } },
    { op: 'add', value: JSON.parse('{"__proto__": {"polluted": "x"}}') },
  );
  expect(Object({})).not.toHaveProperty('polluted');
});

it('changes, or is refused, whatever the operations', () => {
  const name = fc.constantFrom(
    'emails',
    'name.givenName',
    'emails[type eq "x"].value',
    'a[',
    '$',
    '',
  );
  const operation = fc.record(
    { op: fc.constantFrom('add', 'Replace', 'remove'), path: name, value: fc.jsonValue() },
    { requiredKeys: ['op'] },
  );
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 6 }), (operations) => {
      try {
        expect(patched(...operations)['id']).toBe('u');
      } catch (error) {
        expect(error).toBeInstanceOf(Problem);
      }
    }),
  );
});
