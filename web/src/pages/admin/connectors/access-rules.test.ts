import { expect, test } from 'vitest';
import { faultOfRules, rulesIn, rulesText } from './access-rules.ts';

test('rules are read as they are written', () => {
  const rules = [
    { path: '/', teams: ['Staff'], users: [] },
    { path: '/a: b/c', teams: ['The North'], users: ['ann', 'sam@example.com'] },
  ];
  const text = '/: team Staff\n/a: b/c: team The North, user ann, user sam@example.com';
  expect(rulesText(rules)).toBe(text);
  expect(rulesIn(`\n${text}\n `)).toEqual(rules);
  expect(faultOfRules(text)).toBeUndefined();
});

test('what is no rule is told', () => {
  for (const line of ['staff: team North', '/staff', '/staff: North', '/staff: team']) {
    expect(faultOfRules(line)).toContain(`“${line}” is no rule`);
  }
  expect(faultOfRules(' \n')).toBe('Enter a rule.');
});
