import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { KnownDevices } from '../known-devices.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { openTestIdentity, type TestIdentity } from '../testing/test-identity.ts';
import { SsoService } from './sso-service.ts';

let at: TestIdentity;
let editor: { readonly caller: Caller; readonly address: string };
beforeAll(async () => {
  at = await openTestIdentity();
  await at.putUser('ada', { IsAdmin: true });
  const caller = at.identity.authenticate(await at.signIn('ada'));
  editor = { caller, address: '192.0.2.1' };
});
afterAll(() => at[Symbol.asyncDispose]());

function service(publicAddress: string | null): SsoService {
  const { reader, writer: commits, clock } = at.graph;
  return new SsoService({
    changes: new OneAtATime(),
    reader,
    vault: at.vault,
    commits,
    clock,
    publicAddress,
    fetch: () => Promise.reject(new TypeError('no network here')),
    signingKey: 'a key',
    signInAs: (...to) => at.identity.signInAs(...to),
    audit: at.audit,
    devices: new KnownDevices('a key', clock),
  });
}

const ENABLED = { enabled: true, clientId: 'trellis', issuer: 'https://okta.example' };

describe('a server that does not know its public address', () => {
  test('takes settings, but enables no provider', async () => {
    const sso = service(null);
    const needed = { code: 'sso_needs_public_address' };
    await expect(sso.setConfig(editor, 'oktasso', ENABLED)).rejects.toMatchObject(needed);
    const corporate = { enabled: true, entryPoint: 'https://a.example', idpIssuer: 'i' };
    const providers = { corporate: { ...corporate, idpCertificates: [] } };
    await expect(sso.setSamlConfig(editor, { providers })).rejects.toThrow('is needed');
    const view = await sso.setConfig(editor, 'oktasso', { ...ENABLED, enabled: false });
    expect(view).toMatchObject({ issuer: 'https://okta.example', redirectUri: null });
    expect(() => sso.samlMetadata()).toThrow(Problem);
  });

  test('offers none that was enabled before, and lets it be disabled', async () => {
    await service('https://trellis.example').setConfig(editor, 'oktasso', ENABLED);
    const sso = service(null);
    expect(sso.providers()).toEqual({ items: [] });
    await expect(
      sso.begin('oktasso', '/', { browser: undefined, marks: undefined }),
    ).rejects.toMatchObject({
      code: 'sso_not_configured',
    });
    const view = await sso.setConfig(editor, 'oktasso', { enabled: false });
    expect(view.enabled).toBe(false);
  });
});

test('cookies are for TLS only where the public address is', () => {
  expect(service('https://trellis.example').isSecure).toBe(true);
  expect(service('http://127.0.0.1:8080').isSecure).toBe(false);
  expect(service(null).isSecure).toBe(false);
});

test('what changed is recorded with the change, by name and without values', async () => {
  const secret = 'a secret that nobody else knows';
  const sso = service('https://trellis.example');
  await sso.setConfig(editor, 'auth0sso', { clientSecret: secret, clientId: 'x' });
  expect(at.events.at(-1)).toEqual({
    action: 'sso.config-changed',
    actor: { uid: editor.caller.userUid, name: 'ada' },
    target: { kind: 'provider', id: 'auth0sso', name: 'auth0sso' },
    outcome: 'success',
    address: '192.0.2.1',
    details: { changed: ['clientId', 'clientSecret'] },
  });
  expect(sso.getConfig('auth0sso').hasClientSecret).toBe(true);
  expect(JSON.stringify(sso.getConfig('auth0sso'))).not.toContain(secret);
});

test('two changes of the same settings at once do not lose one in silence', async () => {
  const sso = service('https://trellis.example');
  const both = await Promise.allSettled([
    sso.setConfig(editor, 'microsoftsso', { clientId: 'one' }),
    sso.setConfig(editor, 'microsoftsso', { scopes: ['openid'] }),
  ]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(both[1]).toMatchObject({ reason: { code: 'version_conflict' } });
});
