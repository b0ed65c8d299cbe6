import { expect, it } from 'vitest';
import { pageAfter } from './page-after.ts';

it.each([
  ['/manage/access/tokens?kind=api', '/manage/access/tokens?kind=api'],
  ['/#/manage', '/manage'],
  [undefined, '/'],
  ['', '/'],
  ['//evil.example', '/'],
  ['/#//evil.example', '/'],
  ['https://evil.example/', '/'],
  ['/sign-in', '/'],
  ['/signed-in?code=x', '/'],
])('after signing in, %s leads to %s', (returnTo, page) => {
  expect(pageAfter(returnTo)).toBe(page);
});
