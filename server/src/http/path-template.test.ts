import { describe, expect, it } from 'vitest';
import { getEndpoint } from '@trellis/contract/operations/endpoints.ts';
import { createSamlRequest, getSsoConfig } from '@trellis/contract/operations/sso.ts';
import { allowedMethods, routerPath } from './path-template.ts';

describe('the pattern of the router', () => {
  it('takes any word for a parameter, and only its own words for one that has some', () => {
    expect(routerPath(getEndpoint)).toBe('/api/endpoints/*');
    expect(routerPath(createSamlRequest)).toBe(
      '/api/saml/createrequest/:providerName/:issuer/:destination',
    );
    expect(routerPath(getSsoConfig)).toMatch(/^\/api\/:provider\(\^\(\?:\S+\|\S+\)\$\)\/config$/);
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
