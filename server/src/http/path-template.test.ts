import { describe, expect, it } from 'vitest';
import { operations as endpoints } from '@trellis/contract/operations/endpoints.ts';
import { operations as sso } from '@trellis/contract/operations/sso.ts';
import { allowedMethods, routerPath } from './path-template.ts';

describe('the pattern of the router', () => {
  it('takes any word for a parameter, and only its own words for one that has some', () => {
    expect(routerPath(endpoints.getEndpoint)).toBe('/api/endpoints/*');
    expect(routerPath(sso.createSamlRequest)).toBe(
      '/api/saml/createrequest/:providerName/:issuer/:destination',
    );
    expect(routerPath(sso.getSsoConfig)).toMatch(
      /^\/api\/:provider\(\^\(\?:\S+\|\S+\)\$\)\/config$/,
    );
  });
});

describe('the methods of a path', () => {
  it.each([
    ['/api/oktasso/config', ['GET', 'HEAD', 'POST']],
    ['/api/saml/config', ['GET', 'HEAD', 'POST']],
    ['/api/xoktasso/config', []],
    ['/api/oktassox/config', []],
    ['/api/login/config', []],
    ['/api/oktasso/config/x', []],
  ])('%s: %j', (path, methods) => {
    expect(allowedMethods(path)).toEqual(methods);
  });
});
