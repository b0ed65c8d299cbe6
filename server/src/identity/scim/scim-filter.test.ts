import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SCIM_FILTER_DEPTH_MAX } from '@trellis/contract/limits.ts';
import { Problem } from '#base/problem.ts';
import { matchesScimFilter, parseScimFilter, soleEquality } from './scim-filter.ts';

const ANN = {
  id: 'AbC',
  userName: 'Ann',
  externalId: 'X1',
  name: { familyName: 'Lee', givenName: 'Ann' },
  emails: [
    { value: 'ann@work.example', type: 'work', primary: true },
    { value: 'ann@home.example', type: 'home' },
  ],
  active: true,
  logins: 7,
};

it.each([
  ['userName eq "ann"', true],
  ['USERNAME Eq "ANN"', true],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ann"', true],
  ['externalId eq "x1"', false],
  ['externalId eq "X1"', true],
  ['name.familyName sw "l" and active eq true', true],
  ['active eq "True"', true],
  ['active eq False', false],
  ['title pr', false],
  ['emails pr', true],
  ['title eq null', true],
  ['title ne "x"', true],
  ['emails eq "ann@home.example"', true],
  ['emails.value ew "work.example"', true],
  ['emails[type eq "home" and value co "work"]', false],
  ['emails[type eq "home" and value co "@home"]', true],
  ['emails.type eq "home" and emails.value co "work"', true],
  ['not (userName eq "ann")', false],
  ['userName eq "bob" or userName eq "ann" and active eq true', true],
  ['(userName eq "bob" or userName eq "ann") and active eq false', false],
  ['logins gt 6 and logins le 7', true],
  ['logins lt 7', false],
  ['userName gt "aaa"', true],
  ['userName eq "a\\"nn"', false],
])('%s: %s', (filter, expected) => {
  expect(matchesScimFilter(parseScimFilter(filter), ANN)).toBe(expected);
});

it.each([
  '',
  'userName',
  'userName eq',
  'userName eq ann',
  'userName is "ann"',
  'userName eq "ann" userName',
  'userName eq "ann" and',
  '(userName eq "ann"',
  'emails[type eq "work"',
  'userName eq "ann',
  'userName eq {}',
  'userName eq [1]',
  '"userName" eq "ann"',
  `${'('.repeat(SCIM_FILTER_DEPTH_MAX + 1)}a pr${')'.repeat(SCIM_FILTER_DEPTH_MAX + 1)}`,
  `${'not ('.repeat(200)}`,
  `a eq "${'\n'.repeat(500)}`,
  'x'.repeat(1_001),
])('is not readable: %s', (filter) => {
  expect(() => parseScimFilter(filter)).toThrow(
    expect.objectContaining({
      code: 'scim_invalid_request',
      details: { scimType: 'invalidFilter' },
    }),
  );
});

it('takes brackets as deep as the limit', () => {
  const depth = SCIM_FILTER_DEPTH_MAX;
  const filter = parseScimFilter(`${'('.repeat(depth)}userName pr${')'.repeat(depth)}`);
  expect(matchesScimFilter(filter, ANN)).toBe(true);
});

it('knows a filter that an index answers', () => {
  expect(soleEquality(parseScimFilter('userName eq "ann"'), 'username')).toBe('ann');
  expect(soleEquality(parseScimFilter('userName ne "ann"'), 'username')).toBeUndefined();
  expect(soleEquality(parseScimFilter('userName eq "a" or a pr'), 'username')).toBeUndefined();
});

it('is either readable or refused, whatever the text', () => {
  const part = fc.constantFrom(
    'userName',
    'eq',
    '"x"',
    '(',
    ')',
    '[',
    ']',
    'and',
    'not',
    'pr',
    '1',
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 30 }).map((all) => all.join(' ')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      try {
        matchesScimFilter(parseScimFilter(text), ANN);
      } catch (error) {
        expect(error).toBeInstanceOf(Problem);
      }
    }),
  );
});
